package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/internal/exit"
)

// TestAppOwnServer: replicas reach a Redis of the user's through links. When it is killed the result is
// unknown, and its password is in no file of the run.
func TestAppOwnServer(t *testing.T) {
	for _, needed := range []string{"redis-server", "redis-cli"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(err)
		}
	}
	const secret = "Tr0ub4dor-and-3-more"
	t.Setenv("APP_TEST_PASSWORD", secret)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--requirepass", secret, "--dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Wait() }() // it was killed
	defer func() { _ = server.Process.Kill() }()
	dir, runs := t.TempDir(), t.TempDir()
	file := fmt.Sprintf(`app: mine
command: [sh, -c, 'i=0; while sleep 0.1; do i=$((i+1)); redis-cli -u "$URL" SET "paid:$REPLICA-$i" x; done']
env: {URL: "${redis.url}"}
servers: {redis: "redis://default:${APP_TEST_PASSWORD}@127.0.0.1:%s"}
jobs: {pay: {seen: {effect: {redis: '^SET paid:(?P<key>\S+)'}}, promises: {once_per_key: true}}}
ttl: 500ms
duration: 3s
limits: {stop: 300ms}
`, port)
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	go func() {
		for t.Context().Err() == nil {
			out, _ := exec.Command("redis-cli", "-p", port, "-a", secret, "EXISTS", "paid:1-5").Output()
			if time.Sleep(50 * time.Millisecond); strings.TrimSpace(string(out)) == "1" {
				_ = server.Process.Kill()
				return
			}
		}
	}()
	code, text := said(t.Context(), "app", dir, "--nemesis", "none", "--dir", runs, "--quiet")
	if code != exit.Unknown || !strings.Contains(text, "redis-1 could not be used from") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	err = filepath.WalkDir(runs, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s has the password", path)
		}
		if filepath.Base(path) == "history.jsonl" && !bytes.Contains(data, []byte("1-3")) {
			t.Errorf("%s has no effect of replica 1", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
