package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
)

// The secrets of these tests, which must turn up nowhere.
const (
	secretUser     = "lockuser-5d1c"
	secretPassword = "Tr0ub4dor-and-3-more"
	secretToken    = "5d1c3f0a-7b1e-4c55-9d0e-2f6c8a4b1e77" // Consul wants a UUID
)

// theirRedis starts a Redis as a stranger would run it: TLS only, a password, and a user who
// may touch nothing but keys below "torture:". It returns its port, the CA and a client of its
// owner's.
func theirRedis(t *testing.T) (port, ca string, owner *goredis.Client) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is not installed; run: make servers")
	}
	ca, cert, key := ownAuthority(t)
	port = aPort(t)
	cmd := exec.Command("redis-server", "--port", "0", "--tls-port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(),
		"--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no",
		"--requirepass", "the-owner's", "--user", secretUser, "on", ">"+secretPassword, "~torture:*", "&torture:*", "+@all")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	owner = goredis.NewClient(&goredis.Options{
		Addr: "localhost:" + port, Password: "the-owner's", TLSConfig: &tls.Config{RootCAs: pool, ServerName: "localhost"},
	})
	t.Cleanup(func() { owner.Close() })
	for deadline := time.Now().Add(testenv.Patience); owner.Ping(t.Context()).Err() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(owner.Ping(t.Context()).Err())
		}
	}
	if err := owner.Set(t.Context(), "lock:seckill", "theirs", 0).Err(); err != nil {
		t.Fatal(err)
	}
	return port, ca, owner
}

// tortureCommand runs the command line in a directory of its own.
func tortureCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "torture", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), runs.UserEnv+"="+secretUser, runs.PasswordEnv+"="+secretPassword, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	return cmd
}

// noSecretIn fails if a file of a directory, or an output, has a secret.
func noSecretIn(t *testing.T, dir string, output []byte) {
	t.Helper()
	look := func(where string, text []byte) {
		for _, secret := range []string{secretUser, secretPassword, secretToken} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has the secret %s", where, secret)
			}
		}
	}
	look("the output", output)
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		look(path, text)
		files++
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files were looked at: %v", files, err)
	}
}

// onlyTheirs fails unless the owner's key is the only one and what it was.
func onlyTheirs(t *testing.T, owner *goredis.Client) {
	t.Helper()
	keys, err := owner.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || owner.Get(t.Context(), keys[0]).Val() != "theirs" {
		t.Errorf("keys %q are left: %v", keys, err)
	}
}

// TestExternalRedis runs a lock on a Redis that is somebody else's.
func TestExternalRedis(t *testing.T) {
	t.Parallel()
	port, ca, owner := theirRedis(t)
	dir := t.TempDir()
	args := func(more ...string) []string {
		return append([]string{
			"run", "--cluster", "external", "--endpoints", "localhost:" + port, "--tls-ca", ca, "--backend", "redis-fenced",
			"--workload", "counter", "--clients", "3", "--ttl", "500ms", "--quiet",
		}, more...)
	}
	t.Run("run", func(t *testing.T) {
		out, err := onTheirs(t, func() *exec.Cmd {
			return tortureCommand(t.Context(), dir, args("--nemesis", "pause,latency,partition", "--duration", "5s", "--min-grants", "1", "--seed", "1")...)
		})
		if code := exitOf(t, err); code != exit.OK && code != exit.Unknown { // it was judged
			t.Fatalf("exit %d\n%s", code, out)
		}
		noSecretIn(t, filepath.Join(dir, "results"), out)
		onlyTheirs(t, owner)
		var run report.Run
		if err := trial.ReadJSON(filepath.Join(dir, "results/runs/latest/run.json"), &run); err != nil {
			t.Fatal(err)
		}
		if len(run.Versions) == 0 || run.Versions[0].Name != "redis-1" || !strings.Contains(run.Versions[0].Version, ".") {
			t.Errorf("versions %v do not begin with the server's", run.Versions)
		}
		var result struct{ Counts struct{ Grants int } }
		if err := trial.ReadJSON(filepath.Join(dir, "results/runs/latest/result.json"), &result); err != nil {
			t.Fatal(err)
		}
		if result.Counts.Grants == 0 {
			t.Error("no lock was granted")
		}
	})
	t.Run("no power", func(t *testing.T) {
		for _, fault := range []string{"restart", "clock", "failover", "leader"} {
			out, err := tortureCommand(t.Context(), dir, args("--nemesis", fault, "--duration", "4s")...).CombinedOutput()
			if exitOf(t, err) != exit.BadUsage || !bytes.Contains(out, []byte("not possible here")) {
				t.Errorf("%s: %v\n%s", fault, err, out)
			}
		}
		onlyTheirs(t, owner)
	})
	t.Run("password on the command line", func(t *testing.T) {
		more := args("--nemesis", "none", "--duration", "1s", "--endpoints", "rediss://u:hunter2secret@localhost:"+port)
		out, err := tortureCommand(t.Context(), dir, more...).CombinedOutput()
		if exitOf(t, err) != exit.BadUsage || bytes.Contains(out, []byte("hunter2secret")) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("wrong password", func(t *testing.T) {
		cmd := tortureCommand(t.Context(), dir, args("--nemesis", "none", "--duration", "1s")...)
		cmd.Env = append(cmd.Env, runs.PasswordEnv+"=not-that-one-99")
		out, err := cmd.CombinedOutput()
		if exitOf(t, err) != exit.BadUsage || bytes.Contains(out, []byte("not-that-one-99")) || bytes.Contains(out, []byte(secretUser)) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("prefix of somebody's", func(t *testing.T) {
		if err := owner.Set(t.Context(), "torture:app:1", "theirs", 0).Err(); err != nil {
			t.Fatal(err)
		}
		out, err := onTheirs(t, func() *exec.Cmd {
			return tortureCommand(t.Context(), dir, args("--nemesis", "none", "--duration", "1s", "--key-prefix", "torture:app:")...)
		})
		if exitOf(t, err) != exit.BadUsage || !bytes.Contains(out, []byte("the prefix is not free")) {
			t.Errorf("%v\n%s", err, out)
		}
		if n := owner.Del(t.Context(), "torture:app:1").Val(); n != 1 {
			t.Error("the key of somebody else is gone")
		}
	})
	t.Run("matrix", func(t *testing.T) { matrixOf(t, port, ca, owner) })
	t.Run("interrupted", func(t *testing.T) { interruptedLeavesNothing(t, owner, args("--nemesis", "none", "--duration", "60s")) })
	t.Run("killed", func(t *testing.T) { killedLeavesKeys(t, owner, args("--nemesis", "none", "--duration", "60s")) })
}

// matrixOf puts runs of two locks into a table, two at a time, below one prefix.
func matrixOf(t *testing.T, port, ca string, owner *goredis.Client) {
	dir := t.TempDir()
	args := []string{
		"matrix", "--cluster", "external", "--endpoints", "localhost:" + port, "--tls-ca", ca, "--key-prefix", "torture:matrix:", "--nemeses", "none,restart",
		"--workloads", "counter", "--duration", "2s", "--clients", "2", "--jobs", "2", "--out", "m", "--quiet", "--backends",
	}
	out, err := tortureCommand(t.Context(), dir, append(args, "redis-set,redis-fenced")...).CombinedOutput()
	code := exitOf(t, err)
	if code != exit.OK && code != exit.Unknown || !bytes.Contains(out, []byte("4 cells of 2 locks:")) || !bytes.Contains(out, []byte("2 not applicable")) { // a busy machine may grant too little
		t.Errorf("%v\n%s", err, out)
	}
	noSecretIn(t, dir, out)
	onlyTheirs(t, owner)
	out, err = tortureCommand(t.Context(), t.TempDir(), append(args, "redis-set,redlock")...).CombinedOutput()
	if exitOf(t, err) != exit.BadUsage || !bytes.Contains(out, []byte("redlock on redis-5")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// interruptedLeavesNothing sends ^C to a run once a lock is taken.
func interruptedLeavesNothing(t *testing.T, owner *goredis.Client, args []string) {
	dir := t.TempDir()
	cmd := tortureCommand(t.Context(), dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitKeys(t, cmd, owner)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd.Wait()); code != exit.Interrupted {
		t.Errorf("exit %d\n%s", code, &out)
	}
	noSecretIn(t, filepath.Join(dir, "results"), out.Bytes())
	onlyTheirs(t, owner)
}

// awaitKeys waits until a run has taken a lock.
func awaitKeys(t *testing.T, cmd *exec.Cmd, owner *goredis.Client) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); owner.DBSize(t.Context()).Val() < 3; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatal("no lock was taken")
		}
	}
}

// killedLeavesKeys kills a run, and has clean remove what it left.
func killedLeavesKeys(t *testing.T, owner *goredis.Client, args []string) {
	killed := t.TempDir()
	cmd := tortureCommand(t.Context(), killed, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitKeys(t, cmd, owner)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	runs, err := filepath.Glob(filepath.Join(killed, "results/runs/*/run.json"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v %v", runs, err)
	}
	if owner.DBSize(t.Context()).Val() < 2 {
		t.Error("the kill has left nothing: this test shows nothing")
	}
	out, err := tortureCommand(t.Context(), killed, "clean", "--keys", filepath.Dir(runs[0])).CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("removed ")) {
		t.Errorf("%v\n%s", err, out)
	}
	onlyTheirs(t, owner)
}

// TestInterruptedBeforeItBegan interrupts a run while it looks at the servers.
func TestInterruptedBeforeItBegan(t *testing.T) {
	addr, heard := firstBytes(t)
	t.Chdir(t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-heard
		interrupt()
	}()
	var out, errOut strings.Builder
	code := inProcess(ctx, []string{"run", "--cluster", "external", "--endpoints", addr, "--backend", "zookeeper", "--duration", "1s"}, nil, &out, &errOut)
	if code != exit.Interrupted || !strings.Contains(errOut.String(), "interrupted before the run began") {
		t.Errorf("exit %d: %s", code, errOut.String())
	}
	if left, err := os.ReadDir("."); len(left) > 0 || err != nil {
		t.Errorf("it has left %v, %v", left, err)
	}
}
