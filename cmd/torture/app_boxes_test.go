package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
)

// TestAppWithoutEngine: where no engine answers, containers are refused with what to do about it, before anything is started.
func TestAppWithoutEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///no/such/docker.sock")
	runs := filepath.Join(t.TempDir(), "runs")
	jobs := "jobs: {payout: {promises: {one_at_a_time: true}}}\n"
	for _, c := range []struct {
		text string
		args []string
		want string
	}{
		{"image: billing:dev\n" + jobs, nil, "apt-get install docker.io"},
		{"compose: docker-compose.yml\n" + jobs, nil, "no Docker engine answers at unix:///no/such/docker.sock"},
		{jobs, []string{"--compose", "docker-compose.yml", "--replicas", "worker=3"}, "apt-get install docker.io"},
		{"image: billing:dev\n" + jobs, []string{"--replicas", "worker=3"}, "name one with --compose"},
		{"image: billing:dev\n" + jobs, []string{"--replicas", "none"}, "a whole number from 1 to 50"},
		{"command: [a]\nreplicas: {worker: 1, api: 2}\n" + jobs, nil, "one service with a number"},
		{jobs, nil, "command is missing"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, text := said(t.Context(), append([]string{"app", dir, "--dir", runs}, c.args...)...)
		if code != exit.BadUsage || !strings.Contains(text, c.want) {
			t.Errorf("%q %q: exit code %d, want %q in\n%s", c.text, c.args, code, c.want, text)
		}
		if c.args != nil {
			continue
		}
		code, text = said(t.Context(), "matrix", "--apps", dir, "--nemeses", "pause", "--out", runs)
		if code != exit.BadUsage || !strings.Contains(text, c.want) {
			t.Errorf("%q in a matrix: exit code %d, want %q in\n%s", c.text, code, c.want, text)
		}
	}
	if _, err := os.Stat(runs); !os.IsNotExist(err) {
		t.Errorf("there is a run directory: %v", err)
	}
}
