//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/cluster/docker"
	"locktorture/internal/exit"
)

// composeDir has the example.
const composeDir = "../../examples/compose"

// TestDockerApp tortures the example of a compose file: its bug is found, by the effects on the links
// of its replicas alone; all faults take effect; and nothing is left.
func TestDockerApp(t *testing.T) {
	payouts(t)
	runs := t.TempDir()
	code, text := said(t.Context(), "app", "--compose", filepath.Join(composeDir, "docker-compose.yml"), "--replicas", "worker=3",
		"--nemesis", "pause", "--duration", "20s", "--seed", "1", "--dir", runs, "--quiet")
	if code != exit.Violated || !strings.Contains(text, "ran-twice") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	nothingOf(t)

	code, text = said(t.Context(), "app", "--compose", filepath.Join(composeDir, "docker-compose.yml"), "--replicas", "worker=2",
		"--nemesis", "pause,kill,restart,partition,latency,hold", "--duration", "20s", "--seed", "1", "--dir", runs, "--quiet", "--json")
	var result struct {
		Result struct {
			Ended  string
			Faults []struct {
				Nemesis  string
				Injected int
			}
			Counts struct{ Grants, Processes int }
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatalf("exit code %d, %v:\n%s", code, err, text)
	}
	for _, f := range result.Result.Faults {
		if f.Injected == 0 {
			t.Errorf("%s never took effect", f.Nemesis)
		}
	}
	if n := result.Result.Counts; len(result.Result.Faults) != 6 || n.Grants < 20 || n.Processes < 4 {
		t.Errorf("%+v, exit code %d:\n%s", result, code, text)
	}
	nothingOf(t)
}

// TestDockerAppImage: replicas are containers of an image, with servers that torture starts. They
// reach these by their names and usual ports, and what they do without faults is not flagged.
func TestDockerAppImage(t *testing.T) {
	bin := payouts(t)
	dir := t.TempDir()
	text := `app: payouts
image: payouts:dev
servers: {redis: redis, db: postgres}
env: {REDIS_URL: "redis://redis:6379/0", DATABASE_URL: "postgres://postgres@db:5432/postgres?sslmode=disable"}
before: [[sh, -c, 'DATABASE_URL=${db.url} ` + bin + ` migrate']]
jobs: {payout: {seen: {effect: {db: 'INSERT INTO payouts .*\[(?P<key>\S+) '}}, promises: {once_per_key: true}}}
ttl: 2s
duration: 5s
`
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out := said(t.Context(), "app", dir, "--nemesis", "none", "--cluster", "process", "--min-runs", "10", "--dir", t.TempDir(), "--quiet")
	if code != exit.OK {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	nothingOf(t)
}

// payouts makes the images that the example needs, of what is here, and returns the program of its worker.
func payouts(t *testing.T) (bin string) {
	t.Helper()
	if os.Getenv("TORTURE_TEST_DOCKER") == "" {
		t.Skip("make test-docker runs it")
	}
	dir := t.TempDir()
	bin = filepath.Join(dir, "payouts")
	build := exec.Command("go", "build", "-C", composeDir, "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built(t, "payouts:dev", dir, "FROM scratch\nCOPY payouts /payouts\nENTRYPOINT [\"/payouts\"]\n")
	t.Setenv("REDIS_IMAGE", official(t, "redis", `
ENTRYPOINT ["redis-server", "--protected-mode", "no"]
EXPOSE 6379
`))
	t.Setenv("POSTGRES_IMAGE", official(t, "postgres", `
RUN echo 'postgres:x:999:999::/data:/bin/sh' >>/etc/passwd && mkdir -p /data /var/run/postgresql && chown 999:999 /data /var/run/postgresql
USER postgres
RUN initdb -A trust -D /data/db && echo 'host all all all trust' >>/data/db/pg_hba.conf
ENTRYPOINT ["postgres", "-D", "/data/db", "-c", "listen_addresses=*"]
EXPOSE 5432
`))
	return bin
}

// built makes an image without a network.
func built(t *testing.T, image, dir, recipe string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(recipe), 0o644); err != nil {
		t.Fatal(err)
	}
	dockerSays(t, "build", "--network", "none", "-t", image, dir)
}

// official is the official image of a server or, where it cannot be pulled, one that behaves so,
// made of the local one.
func official(t *testing.T, server, recipe string) string {
	t.Helper()
	if exec.Command("docker", "image", "inspect", docker.Defaults()[server]).Run() == nil {
		return docker.Defaults()[server]
	}
	image := "payouts-" + server + ":test"
	built(t, image, t.TempDir(), "FROM "+docker.LocalImage(server)+recipe)
	return image
}

// nothingOf fails if a container, a network or a volume of torture is left.
func nothingOf(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"container", "network", "volume"} {
		args := []string{kind, "ls", "-q", "--filter", "label=org.locktorture.owner"}
		if kind == "container" {
			args = append(args, "-a")
		}
		if left := dockerSays(t, args...); left != "" {
			t.Errorf("%ss are left: %s", kind, left)
		}
	}
}
