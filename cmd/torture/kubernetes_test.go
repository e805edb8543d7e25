package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/matrix"
)

// podImage is the variable that scripts/with-kubernetes sets.
const podImage = "TORTURE_POD_IMAGE"

// kubectl runs kubectl.
func kubectl(t *testing.T, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Getenv("KUBECTL"), args...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// ofCluster skips a test where there is no cluster for it, and returns a kubeconfig with the
// rights of the printed Role.
func ofCluster(t *testing.T) string {
	t.Helper()
	if os.Getenv(podImage) == "" {
		t.Skip("make test-kubernetes starts a cluster for it")
	}
	manifest, err := exec.Command("torture", "kubernetes", "manifest", "--namespace", "torture").Output()
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, string(manifest), "apply", "-f", "-")
	admin, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(admin), "token: ")
	_, after, _ = strings.Cut(after, "}")
	limited := filepath.Join(t.TempDir(), "kubeconfig")
	token := strings.TrimSpace(kubectl(t, "", "-n", "torture", "create", "token", "torture", "--duration=1h"))
	if err := os.WriteFile(limited, []byte(before+"token: "+token+"}"+after), 0o600); err != nil {
		t.Fatal(err)
	}
	return limited
}

// TestOnKubernetes carries a matrix out as pods of a real cluster, with the printed Role only,
// in a namespace that enforces Pod Security "restricted". Its coordinator is killed once a run
// has ended: resumed, it keeps that verdict, and leaves nothing behind.
func TestOnKubernetes(t *testing.T) {
	limited := ofCluster(t)
	dir := t.TempDir()
	run := func(more ...string) *exec.Cmd {
		cmd := exec.Command("torture", append([]string{"matrix", "--on", "kubernetes", "--kubeconfig", limited, "--namespace", "torture", "--pod-image", os.Getenv(podImage),
			"--requests", "cpu=200m,memory=128Mi", "--backends", "redis-set,postgres-advisory", "--nemeses", "none,pause", "--workloads", "counter", "--duration", "5s", "--jobs", "2", "--out", "m"}, more...)...)
		cmd.Dir = dir
		return cmd
	}
	first := run()
	var log bytes.Buffer
	first.Stderr = &log
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	cells := filepath.Join(dir, "m", matrix.CellsFile)
	had := waitForLine(t, cells)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	out, _ := run("--resume").CombinedOutput()
	now, err := os.ReadFile(cells)
	if err != nil || !bytes.HasPrefix(now, had) || bytes.Count(now, []byte("\n")) != 4 {
		t.Errorf("%v: cells.jsonl had\n%s\nand has\n%s\n%s\n%s", err, had, now, &log, out)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "m", "runs", "*", "report.html"))
	if err != nil || len(runs) != 4 || strings.Contains(string(out), "failed") {
		t.Errorf("%d run directories, %v\n%s", len(runs), err, out)
	}
	if left := kubectl(t, "", "-n", "torture", "get", "jobs", "-o", "name"); left != "" {
		t.Errorf("left in the cluster: %s", left)
	}
}
