//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// dockerSays runs the docker command and returns what it prints.
func dockerSays(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// containersOf lists the containers that a harness has started.
func containersOf(t *testing.T, harness *exec.Cmd) []string {
	t.Helper()
	var ids []string
	for line := range strings.Lines(dockerSays(t, "ps", "-a", "--no-trunc", "--filter", "label=org.locktorture.owner",
		"--format", `{{.ID}} {{.Label "org.locktorture.owner"}}`)) {
		if f := strings.Fields(line); f[1] == strconv.Itoa(harness.Process.Pid) {
			ids = append(ids, f[0])
		}
	}
	return ids
}

// volumesOf lists the volumes of a container.
func volumesOf(t *testing.T, id string) []string {
	t.Helper()
	return strings.Fields(dockerSays(t, "inspect", "-f", `{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}`, id))
}

// TestDockerKilled kills the harness while its servers are containers. torture clean must
// remove what it left and nothing else: neither another's container nor those of a harness
// that runs.
func TestDockerKilled(t *testing.T) {
	if os.Getenv("TORTURE_TEST_DOCKER") == "" {
		t.Skip("make test-docker runs it")
	}
	bin, dir := filepath.Join(t.TempDir(), "torture"), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(bin, "run", "--backend", "redis-set", "--nemesis", "none", "--cluster", "docker", "--duration", "5m", "--quiet")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TESTCONTAINERS_RYUK_DISABLED=true") // the reaper would be quicker
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	await := func(harness *exec.Cmd) string {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if ids := containersOf(t, harness); len(ids) == 1 {
				return ids[0]
			}
			if time.Now().After(deadline) {
				t.Fatal("the container of a Redis never came")
			}
		}
	}
	clean := func() string {
		cmd := exec.Command(bin, "clean")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("clean: %v\n%s", err, out)
		}
		return string(out)
	}
	living, killed := start(), start()
	stays, goes := await(living), await(killed)
	foreign := dockerSays(t, "create", "--label", "org.testcontainers=true", dockerSays(t, "inspect", "-f", "{{.Image}}", stays), "nothing")
	t.Cleanup(func() { dockerSays(t, "rm", "-f", foreign) })
	volumes := volumesOf(t, goes)

	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if len(containersOf(t, killed)) != 1 {
		t.Fatal("the container went with the harness: nothing is shown")
	}
	if out := clean(); !strings.Contains(out, "removed container "+goes[:12]) {
		t.Errorf("clean said:\n%s", out)
	}
	all := dockerSays(t, "ps", "-aq", "--no-trunc")
	if strings.Contains(all, goes) || !strings.Contains(all, stays) || !strings.Contains(all, foreign) {
		t.Errorf("%s should go, %s and %s stay; there are\n%s", goes, stays, foreign, all)
	}
	left := dockerSays(t, "volume", "ls", "-q")
	for _, v := range volumes {
		if strings.Contains(left, v) {
			t.Errorf("volume %s is still there", v)
		}
	}
	if err := living.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = living.Wait()
	if left := containersOf(t, living); len(left) > 0 {
		t.Errorf("an interrupted run has left %v", left)
	}
}
