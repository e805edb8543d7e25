package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/report/scorecard"
)

// TestOnKubernetesLost loses both pods that run: one is evicted, then the node of the other is
// rebooted. Each is made again, and the table says so.
func TestOnKubernetesLost(t *testing.T) {
	limited := ofCluster(t)
	node := os.Getenv("TORTURE_NODE")
	dir := t.TempDir()
	cmd := exec.Command("torture", "matrix", "--on", "kubernetes", "--kubeconfig", limited, "--namespace", "torture", "--pod-image", os.Getenv(podImage),
		"--requests", "cpu=200m,memory=128Mi", "--backends", "redis-set", "--nemeses", "none", "--workloads", "counter", "--duration", "5s", "--seeds", "2", "--jobs", "2", "--out", "m")
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pods := runningPods(t, 2)
	kubectl(t, fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q,"namespace":"torture"}}`, pods[0]),
		"create", "--raw", "/api/v1/namespaces/torture/pods/"+pods[0]+"/eviction", "-f", "-")
	reboot(t, node)
	_ = cmd.Wait()
	lines, err := os.ReadFile(filepath.Join(dir, "m", matrix.CellsFile))
	if err != nil {
		t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() != exit.OK || bytes.Count(lines, []byte(`"state":"`+scorecard.Tried+`"`)) != 2 || !strings.Contains(out.String(), "for 2 runs") {
		t.Errorf("exit code %d\n%s\n%s", cmd.ProcessState.ExitCode(), lines, &out)
	}
}

// runningPods waits for so many pods that run, and names them.
func runningPods(t *testing.T, n int) []string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		names := strings.Fields(kubectl(t, "", "-n", "torture", "get", "pods", "--field-selector", "status.phase=Running", "-o", "jsonpath={.items[*].metadata.name}"))
		if len(names) >= n {
			return names
		}
	}
	t.Fatalf("%d pods do not run within a minute", n)
	return nil
}

// reboot ends all that runs on a node, as far as a cluster sees: its services, what keeps its
// containers, and those. The services are back after five seconds.
func reboot(t *testing.T, node string) {
	t.Helper()
	down := filepath.Join(node, "down")
	if err := os.WriteFile(down, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tasks, err := exec.Command("ctr", "-a", filepath.Join(node, "containerd.sock"), "-n", "k8s.io", "tasks", "ls").Output()
	if err != nil {
		t.Fatal(err)
	}
	var services, shims, containers []int
	for _, name := range []string{"kubelet.pid", "containerd.pid"} {
		b, err := os.ReadFile(filepath.Join(node, name))
		if err != nil {
			t.Fatal(err)
		}
		services = append(services, number(t, string(b)))
	}
	for line := range strings.Lines(string(tasks)) { // TASK PID STATUS
		if f := strings.Fields(line); len(f) > 1 && f[0] != "TASK" {
			containers = append(containers, number(t, f[1]))
			stat, err := os.ReadFile("/proc/" + f[1] + "/stat")
			_, after, _ := strings.Cut(string(stat), ") ") // STATE PPID
			if parent := strings.Fields(after); err == nil && len(parent) > 1 && parent[1] != "1" {
				shims = append(shims, number(t, parent[1]))
			}
		}
	}
	for _, list := range [][]int{services, shims, containers} {
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	}
	if len(containers) == 0 {
		t.Error("no container ran")
	}
	time.Sleep(5 * time.Second)
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 2 {
		t.Fatalf("process %q: %v", text, err)
	}
	return n
}
