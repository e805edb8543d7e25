package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/child"
)

// After a pause every thread stands still, not the first alone.
func TestPauseStopsAllThreads(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=threads", "GOMAXPROCS=8")
	r, w := io.Pipe()
	cmd.Stdout = w
	c := start(t, cmd, child.Options{})
	_, err := bufio.NewReader(r).ReadString('\n')
	must(t, err)
	letters := func() (all string) {
		files, _ := filepath.Glob("/proc/" + strconv.Itoa(c.PID()) + "/task/*/stat")
		for _, f := range files {
			b, err := os.ReadFile(f)
			must(t, err)
			all += string(b[strings.LastIndexByte(string(b), ')')+2])
		}
		return all
	}
	for range 20 {
		must(t, c.Pause(within(t, 10*time.Second)))
		if l := letters(); len(l) < 3 || strings.Trim(l, "T") != "" {
			t.Fatalf("threads in the states %q after a pause, want several, all T", l)
		}
		must(t, c.Resume(within(t, 10*time.Second)))
		if l := letters(); strings.Contains(l, "T") {
			t.Fatalf("threads in the states %q after it went on", l)
		}
	}
}

// A name may look like what follows it.
func TestNameWithParentheses(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	must(t, err)
	named := filepath.Join(t.TempDir(), "a) T (b")
	b, err := os.ReadFile(sleep)
	must(t, err)
	must(t, os.WriteFile(named, b, 0o755))
	cmd := exec.Command(named, "600")
	cmd.Args[0] = "sleep" // where one program has many names
	c := start(t, cmd, child.Options{})
	if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.PID())); err != nil || !strings.Contains(string(line), "(a) T (b)") {
		t.Fatalf("its line is %q, %v: nothing can be shown", line, err)
	}
	until(t, "asleep", func() bool { return state(c.PID()) == "S" })
	must(t, c.Pause(within(t, 10*time.Second)))
	if got := state(c.PID()); got != "T" {
		t.Errorf("state %q after a pause", got)
	}
	must(t, c.Resume(within(t, 10*time.Second)))
	if got := state(c.PID()); got == "T" {
		t.Errorf("state %q after it went on", got)
	}
}

// One that has ended and was not waited for can be neither stopped nor continued.
func TestZombieInTheFamily(t *testing.T) {
	cmd, n := shell("sleep 0 & exec sleep N")
	c := start(t, cmd, child.Options{})
	asleep(t, n)
	zombies := func() (n int) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", c.PID()))
		for _, f := range strings.Fields(string(b)) {
			pid, _ := strconv.Atoi(f)
			if s, err := child.ReadStat(pid); err == nil && s.State == 'Z' {
				n++
			}
		}
		return n
	}
	until(t, "a zombie", func() bool { return zombies() == 1 })
	must(t, c.Pause(within(t, 10*time.Second)))
	must(t, c.Resume(within(t, 10*time.Second)))
}

// What is left of a group is ended with its leader, however that ends.
func TestGroupEndsWithItsLeader(t *testing.T) {
	for why, script := range map[string]string{
		"the leader ends by itself": "sleep N & exit 3",
		"the leader is killed":      "sleep N & sleep 0.1; kill -9 $$",
		"an orphan":                 "(sleep N & exit) ; exit 3",
	} {
		cmd, n := shell(script)
		c := start(t, cmd, child.Options{})
		select {
		case <-c.Done():
		case <-within(t, 10*time.Second).Done():
			t.Fatalf("%s: it goes on", why)
		}
		if c.Err() == nil || c.Alive() {
			t.Errorf("%s: alive %v, %v", why, c.Alive(), c.Err())
		}
		until(t, why+": its group is gone", func() bool { return len(sleeping(n)) == 0 })
	}
}

// An orphan of the group is stopped, looked at, and ended with it. Those of a child that is
// swept become children of this process, which clears them away.
func TestOrphanStaysInReach(t *testing.T) {
	for _, sweep := range []bool{false, true} {
		cmd, n := shell("(sleep N & exit); exec sleep 600")
		c := start(t, cmd, child.Options{Sweep: sweep})
		orphan := asleep(t, n)
		must(t, c.Pause(within(t, 10*time.Second)))
		if got := state(orphan); sweep && got != "T" {
			t.Errorf("an orphan in state %q after a pause", got)
		}
		until(t, "the orphan stopped", func() bool { return state(orphan) == "T" })
		must(t, c.Kill(within(t, 10*time.Second)))
		until(t, "the orphan gone", func() bool { return state(orphan) == "" })
		if _, err := child.ReadStat(orphan); sweep && err == nil {
			t.Error("the orphan stands in the table")
		}
	}
}

// A child that roams is stopped, continued and killed with those that left its group; of
// another they are out of reach, and are named and ended if it is swept.
func TestThoseWhoLeaveTheGroup(t *testing.T) {
	cmd, n := shell("setsid sleep N & wait")
	c := start(t, cmd, child.Options{Roams: true})
	left := asleep(t, n)
	until(t, "a group of its own", func() bool { g, err := syscall.Getpgid(left); return err == nil && g == left })
	must(t, c.Pause(within(t, 10*time.Second)))
	if got := state(left); got != "T" {
		t.Errorf("it is in state %q after a pause", got)
	}
	must(t, c.Resume(within(t, 10*time.Second)))
	if got := state(left); got == "T" {
		t.Error("it stands still after the child went on")
	}
	must(t, c.Kill(within(t, 10*time.Second)))
	if got := state(left); got != "" {
		t.Errorf("it is in state %q after a kill", got)
	}
	if err := c.Pause(t.Context()); err == nil {
		t.Error("a child that is gone was paused")
	}
	must(t, c.Kill(t.Context()))

	cmd, n = shell("setsid sleep N & wait")
	c = start(t, cmd, child.Options{Sweep: true})
	left = asleep(t, n)
	until(t, "a group of its own", func() bool { g, err := syscall.Getpgid(left); return err == nil && g == left })
	must(t, c.Pause(within(t, 10*time.Second)))
	if got := state(left); got == "T" {
		t.Error("a pause reached beyond the group")
	}
	err := c.Kill(within(t, 10*time.Second))
	if err == nil || !strings.Contains(err.Error(), "left its process group") || !strings.Contains(err.Error(), n) {
		t.Errorf("killed: %v, want its stray named", err)
	}
	if _, err := child.ReadStat(left); err == nil {
		t.Error("the stray stands in the table")
	}
}

// A child dies with its parent, also one that stands still.
func TestDiesWithItsParent(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=parent")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil || state(pid) != "T" {
		t.Errorf("the parent said %q, its child is in state %q", line, state(pid))
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	until(t, "the child gone", func() bool { return state(pid) == "" })
}

// How a child ended is told, and one that cannot be started was none.
func TestEnd(t *testing.T) {
	for script, want := range map[string]string{"exit 0": "exited", "exit 3": "exit status 3", "kill -9 $$": "signal: killed"} {
		c := start(t, exec.Command("/bin/sh", "-c", script), child.Options{})
		<-c.Done()
		if err := c.Err(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("process %d: ", c.PID())) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	if _, err := child.Start(exec.Command(filepath.Join(t.TempDir(), "none")), child.Options{What: "it"}); err == nil || !strings.HasPrefix(err.Error(), "start it: ") {
		t.Errorf("no such program: %v", err)
	}
	var none *child.Child
	if none.Alive() {
		t.Error("what was never started lives")
	}
}

// A pause that cannot be seen in time is taken back.
func TestPauseThatIsNotSeen(t *testing.T) {
	c := start(t, exec.Command("sleep", "600"), child.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if err := c.Pause(ctx); err == nil {
			must(t, c.Resume(t.Context())) // it stopped before it was looked at
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		until(t, "it runs", func() bool { return state(c.PID()) == "S" })
	}
}
