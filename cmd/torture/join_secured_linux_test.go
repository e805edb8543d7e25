package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
	"locktorture/runs"
)

// A securedServer is one that lets nobody in without a login. Its user may do what the table
// of docs/clusters.md says, and no more.
type securedServer struct {
	addr     string
	flags    []string
	password string
	kept     func() ([]string, error) // what it keeps, locks included, as its owner sees it
	early    int                      // how much of it comes before a lock
}

// TestExternalSecured runs locks on servers of every kind that ask for a login, over TLS where
// they can: no secret is written down and nothing is left, also after an interruption.
func TestExternalSecured(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		name     string
		backends []string
		start    func(t *testing.T) securedServer
		refusal  string // what who does not log in is told
	}{
		{"etcd", []string{"etcd", "etcd-concurrency", "etcd-api"}, theirEtcd, "permission denied|user name is empty"},
		{"postgres", []string{"postgres-advisory"}, theirPostgres, "no pg_hba.conf entry|authentication failed"},
		{"mariadb", []string{"mysql-unique-ttl"}, theirMariaDB, ""},
		{"consul", []string{"consul", "consul-api"}, theirConsul, "Permission denied"},
		{"zookeeper", []string{"zookeeper", "gozk"}, theirZooKeeper, "not authenticated"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			server := s.start(t)
			before, err := server.kept()
			if err != nil {
				t.Fatal(err)
			}
			for _, backend := range s.backends {
				t.Run(backend, func(t *testing.T) {
					dir := t.TempDir()
					out, err := onTheirs(t, func() *exec.Cmd {
						return server.command(t.Context(), dir, backend, "--nemesis", "none", "--sections", "5", "--min-grants", "5", "--duration", "60s")
					})
					if err != nil && !tooBusy(out) {
						t.Errorf("%v\n%s", err, out)
					}
					noSecretIn(t, filepath.Join(dir, "results"), out)
					server.keepsOnly(t, before)
				})
			}
			t.Run("faults", func(t *testing.T) {
				if s.name != "etcd" && s.name != "postgres" {
					t.Skip("a watch and a connection stand for all")
				}
				dir := t.TempDir()
				out, err := onTheirs(t, func() *exec.Cmd {
					return server.command(t.Context(), dir, s.backends[0], "--nemesis", "pause,partition", "--ttl", "1s", "--min-grants", "1", "--duration", "4s")
				})
				if code := exitOf(t, err); code == exit.Harness || code == exit.BadUsage {
					t.Errorf("exit %d\n%s", code, out)
				}
				noSecretIn(t, filepath.Join(dir, "results"), out)
				server.keepsOnly(t, before)
			})
			t.Run("no login", func(t *testing.T) {
				if s.refusal == "" {
					t.Skip("the owner of this one has no password")
				}
				out, err := onTheirs(t, func() *exec.Cmd {
					cmd := server.command(t.Context(), t.TempDir(), s.backends[0], "--nemesis", "none", "--duration", "2s")
					cmd.Env = append(cmd.Env, runs.UserEnv+"=", runs.PasswordEnv+"=")
					return cmd
				})
				told := slices.ContainsFunc(strings.Split(s.refusal, "|"), func(s string) bool { return bytes.Contains(out, []byte(s)) })
				if exitOf(t, err) != exit.BadUsage || !told {
					t.Errorf("%v\n%s", err, out)
				}
				server.keepsOnly(t, before)
			})
			t.Run("interrupted", func(t *testing.T) { server.interrupt(t, s.backends[0], before) })
		})
	}
}

// command is a run on the server.
func (s securedServer) command(ctx context.Context, dir, backend string, more ...string) *exec.Cmd {
	args := append([]string{
		"run", "--cluster", "external", "--endpoints", s.addr, "--backend", backend, "--workload", "counter", "--clients", "2", "--quiet",
	}, s.flags...)
	cmd := tortureCommand(ctx, dir, append(args, more...)...)
	cmd.Env = append(cmd.Env, runs.PasswordEnv+"="+s.password)
	return cmd
}

// keepsOnly fails unless the server keeps what it kept. A session that nobody holds any more
// may take a moment to go.
func (s securedServer) keepsOnly(t *testing.T, before []string) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(50 * time.Millisecond) {
		after, err := s.kept()
		if err == nil && slices.Equal(before, after) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it keeps %q, and kept %q before: %v", after, before, err)
		}
	}
}

// interrupt sends ^C to a run once a lock is taken.
func (s securedServer) interrupt(t *testing.T, backend string, before []string) {
	dir := t.TempDir()
	cmd := s.command(t.Context(), dir, backend, "--nemesis", "none", "--duration", "60s")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(5 * time.Millisecond) {
		now, err := s.kept()
		if err == nil && len(now) > len(before)+s.early {
			break
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("no lock was taken: %q, %v\n%s", now, err, &out)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd.Wait()); code != exit.Interrupted {
		t.Errorf("exit %d\n%s", code, &out)
	}
	s.keepsOnly(t, before)
	noSecretIn(t, filepath.Join(dir, "results"), out.Bytes())
}

// serverProgram is a program of make servers.
func serverProgram(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "bin", "servers", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%s is not installed; run: make servers: %v", name, err)
	}
	return path
}

// tooBusy reports whether a run of a sound lock did not end as "safe" because the machine was busy: a
// server that gives no answer for a second makes it unknown. etcd hashes passwords for 70 ms of processor,
// once a connection, and a request that had to log in anew then comes later than the allowance for a queue.
func tooBusy(out []byte) bool {
	return unbroken(string(out), `safe, but FAILED: unfair – |`+
		`unknown – \S+ could not be used from [\d.]+ s to (the end|[\d.]+ s) \((no answer|round trip of [\d.]+m?s|zk: could not connect to a server)\)`)
}

// onTheirs runs a command on servers that it joins. Where the machine is so busy that torture refuses the
// servers for their slow answers, the command is made and run again.
func onTheirs(t *testing.T, command func() *exec.Cmd) (out []byte, err error) {
	t.Helper()
	for end := time.Now().Add(testenv.Patience); ; {
		busy := testenv.Watch()
		out, err = command().CombinedOutput()
		why := busy()
		if err == nil || why == "" || !tooSlow(out) {
			return out, err
		}
		if time.Now().After(end) {
			t.Skipf("%s:\n%s", why, out)
		}
	}
}

// tooSlow reports whether torture refused servers because they answered too late.
func tooSlow(out []byte) bool {
	return unbroken(string(out), `a round trip takes [\d.]+m?s, more than |server cannot be used: no answer`)
}

// What is said of slow servers is known from what is said of others.
func TestTooBusy(t *testing.T) {
	for text, want := range map[string][2]bool{ // too busy, too slow
		"unknown – zookeeper-1 could not be used from 0.030 s to 9.900 s (no answer)":                              {true, false},
		"unknown – zookeeper-1 could not be used from 0.030 s to\n9.900 s (round trip of 940ms), and 2 more times": {true, false},
		"unknown – zookeeper-1 could not be used from 0.030 s to the end (zk: could not connect to a server)":      {true, false},
		"unknown – redis-1 could not be used from 0.030 s to the end (read-only replica)":                          {false, false},
		"unknown – 3 grants, at least 5 are needed":                                                                {false, false},
		"torture: zookeeper-1: a round trip takes 940ms, more than 250ms: requests of locks would time out":        {false, true},
		"torture: server cannot be used: no answer":                                                                {false, true},
		"torture: server cannot be used: connection refused":                                                       {false, false},
	} {
		if got := [2]bool{tooBusy([]byte(text)), tooSlow([]byte(text))}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// theirProgram runs a server until the test is over.
func theirProgram(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(serverProgram(t, name), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Dir = t.TempDir()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%.4000s", name, &said)
		}
	})
}

// eventually tries until it goes well.
func eventually(t *testing.T, try func(ctx context.Context) error) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := try(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
