//go:build linux

package processtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/cluster"
)

// A server leaves nothing outside its directory, however often it is killed: no shared memory,
// no temporary file. Who looks at the machine as a whole would see what others leave there, so
// what the server itself maps and holds open is looked for afterwards.
func TestNothingIsLeftOutside(t *testing.T) {
	for _, topology := range []string{"postgres", "mariadb", "redis", "memcached", "etcd-3", "zookeeper-3", "consul-3"} {
		t.Run(topology, func(t *testing.T) { leavesNothing(t, topology) })
	}
}

func leavesNothing(t *testing.T, topology string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var used []string
	t.Cleanup(func() { // after the cluster was closed
		for _, f := range used {
			if f, memory := strings.CutPrefix(f, "shared memory "); memory {
				if slices.Contains(sharedMemory(t, nil), f) {
					t.Errorf("left behind: shared memory %s", f)
				}
			} else if _, err := os.Stat(f); err == nil {
				t.Errorf("left behind: %s", f)
			}
		}
	})
	c := startOpen(t, cluster.Config{Topology: topology, Clients: 1})
	n := c.Nodes[0].(interface {
		PID() int
		Kill(context.Context) error
		Start(ctx context.Context, wipe bool) error
	})
	look := func() {
		pid := n.PID()
		used = append(used, outside(t, pid)...)
		for _, id := range sharedMemory(t, []int{pid}) {
			used = append(used, "shared memory "+id)
		}
	}
	look()
	for range 2 {
		must(t, n.Kill(ctx))
		must(t, n.Start(ctx, false))
		look()
	}
}

// What PostgreSQL's mark of its data leaves when the whole harness is killed goes with the
// directory.
func TestCleanRemovesSharedMemory(t *testing.T) {
	provisioner(t, "postgres")
	tmp := t.TempDir()
	must(t, os.Chmod(filepath.Dir(tmp), 0o711))
	t.Setenv("TMPDIR", tmp)
	harness := exec.Command(os.Args[0])
	harness.Env = append(os.Environ(), harnessVar+"=postgres")
	out, err := harness.StdoutPipe()
	must(t, err)
	must(t, harness.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	var pids []int
	for _, p := range using(t, tmp) {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	must(t, harness.Process.Kill())
	_ = harness.Wait() // says that it was killed
	for deadline := time.Now().Add(2 * time.Minute); len(using(t, tmp)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("these live on: %v", using(t, tmp))
		}
	}
	if n := len(sharedMemory(t, pids)); line == "" || n != 1 {
		t.Fatalf("a server that was killed left %d marks (%q): nothing can be shown", n, line)
	}
	if _, err := cluster.Clean(); err != nil {
		t.Error(err)
	}
	if left := sharedMemory(t, pids); len(left) > 0 {
		t.Errorf("left behind: shared memory %v", left)
	}
}

// outside lists the files outside of the cluster's own directories that a process and its
// children could leave: what they map or hold open in a place where files come and go.
func outside(t *testing.T, pid int) []string {
	t.Helper()
	var files []string
	for _, p := range append(childrenOf(pid), pid) {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p))
		if err != nil {
			continue // a child that has ended
		}
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", p)) // a checkout may lie in /tmp
		for line := range strings.Lines(string(maps)) {
			if i := strings.IndexByte(line, '/'); i >= 0 && strings.TrimSpace(line[i:]) != program {
				files = append(files, strings.TrimSpace(line[i:]))
			}
		}
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p))
		for _, l := range links {
			if to, err := os.Readlink(l); err == nil {
				files = append(files, to)
			}
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool {
		comes := func(dir string) bool { return strings.HasPrefix(f, dir+"/") }
		return comes(os.TempDir()) || strings.HasSuffix(f, " (deleted)") || !(comes("/dev/shm") || comes("/tmp") || comes("/var/tmp") || comes("/run"))
	})
}

// childrenOf lists the processes that a process has started and that still run.
func childrenOf(pid int) (pids []int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, f := range strings.Fields(string(b)) {
		var n int
		if _, err := fmt.Sscan(f, &n); err == nil && syscall.Kill(n, 0) == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// sharedMemory lists the System V segments that processes have made; nil: that anybody has.
func sharedMemory(t *testing.T, makers []int) (ids []string) {
	t.Helper()
	b, err := os.ReadFile("/proc/sysvipc/shm")
	must(t, err)
	for _, line := range strings.Split(string(b), "\n")[1:] {
		f := strings.Fields(line) // key shmid perms size cpid …
		if len(f) < 5 {
			continue
		}
		if makers == nil || slices.ContainsFunc(makers, func(pid int) bool { return f[4] == fmt.Sprint(pid) }) {
			ids = append(ids, f[1])
		}
	}
	return ids
}
