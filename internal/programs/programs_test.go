package programs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// source is a repository with one program, and torture's name.
func source(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module locktorture\n\ngo 1.26\n", "p/go.mod": "module locktorture/p\n\ngo 1.26\n\nrequire locktorture v0.0.0\n\nreplace locktorture => ..\n",
		"said/said.go": "package said\n\nconst It = \"one\"\n",
		"p/main.go":    "package main\n\nimport (\n\t\"fmt\"\n\n\t\"locktorture/said\"\n)\n\nfunc main() { fmt.Print(said.It) }\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// ownCache gives the test programs of its own, and leaves it what Go has compiled.
func ownCache(t *testing.T) {
	t.Helper()
	built, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(built)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// made is when the program's file was, and what it says.
func made(t *testing.T, root string) (file os.FileInfo, says string) {
	t.Helper()
	k, err := Program{Name: "p", What: "p", Dir: "p"}.keep(root)
	if err != nil {
		t.Fatal(err)
	}
	defer k.release()
	path := k.program()
	if !k.fresh() {
		if path, err = k.build(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if file, err = os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return file, string(out)
}

// A program is built once, and again when a source of it has changed, in its own module or in
// another of this repository; not when a test has.
func TestBuiltOnce(t *testing.T) {
	ownCache(t)
	root := source(t)
	first, says := made(t, root)
	if says != "one" {
		t.Errorf("it says %q", says)
	}
	if err := os.WriteFile(filepath.Join(root, "said", "said_test.go"), []byte("package said\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if second, _ := made(t, root); !os.SameFile(first, second) {
		t.Error("it was built twice")
	}
	if err := os.WriteFile(filepath.Join(root, "said", "said.go"), []byte("package said\n\nconst It = \"two\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, says := made(t, root); says != "two" {
		t.Errorf("after its source has changed it says %q", says)
	}
}

// A program that cannot be built says what Go says.
func TestNotBuilt(t *testing.T) {
	ownCache(t)
	root := source(t)
	if err := os.WriteFile(filepath.Join(root, "p", "main.go"), []byte("package main\n\nfunc main() { nobody() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := Program{Name: "p", What: "the driver for p", Dir: "p"}.keep(root)
	if err != nil {
		t.Fatal(err)
	}
	defer k.release()
	if _, err := k.build(t.Context(), k); err == nil || !strings.Contains(err.Error(), "undefined: nobody") || !strings.Contains(err.Error(), "the driver for p") {
		t.Errorf("it says: %v", err)
	}
}

// Of a build that is interrupted the error is the interrupt, not that Go was killed.
func TestBuildInterrupted(t *testing.T) {
	ownCache(t)
	k, err := Program{Name: "p", What: "p", Dir: "p"}.keep(source(t))
	if err != nil {
		t.Fatal(err)
	}
	defer k.release()
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	if err := errors.Join(unix.Mkfifo(begun, 0o600), os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho >"+begun+"\nexec sleep 600\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(begun)
		interrupt()
	}()
	if _, err := k.build(ctx, k); !errors.Is(err, context.Canceled) {
		t.Errorf("it says: %v", err)
	}
}

// Where there is no source, what was installed on the PATH is taken.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	p := Program{Name: "torture-test-program", What: "a program"}
	t.Setenv("PATH", dir)
	if _, err := p.installed(); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("it is nowhere: %v", err)
	}
	path := filepath.Join(dir, p.Name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if found, err := p.installed(); err != nil || found != path {
		t.Errorf("%s, %v", found, err)
	}
}

// Who asks whether a program is there does not wait for its being built: torture list backends would hang.
func TestThereDoesNotWait(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := source(t)
	p := Program{Name: "p", What: "the driver for p", Dir: "p"}
	building, err := p.keep(root)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() { said <- p.missing(root, true) }()
	select {
	case got := <-said:
		if want := "the driver for p is built at its first use (make drivers)"; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
	building.release()
}

// Where there is no source, what is missing cannot be made.
func TestMissingWithoutSource(t *testing.T) {
	said := Program{Name: "torture-driver-p", What: "the driver for p"}.missing("", false)
	if !strings.Contains(said, ErrNotInstalled.Error()) || strings.Contains(said, "make") {
		t.Errorf("it says %q", said)
	}
}
