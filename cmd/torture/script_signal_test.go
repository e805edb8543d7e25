package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// signal NAME WHEN CODE COMMAND ARGS… sends the command a signal at a moment, and expects that
// exit code. No moment is a time: on a busy machine a program is nowhere after a fixed one.
// WHEN is
//
//	TEXT        the command has written it to stderr
//	GLOB:TEXT   a file of such a name contains it
//	opens:FILE  the command has opened the file
func signalWhen(ts *testscript.TestScript, _ bool, args []string) {
	name, when, code := args[0], args[1], args[2]
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	said := &heard{Writer: ts.Stderr()}
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	cmd.Stdout, cmd.Stderr = ts.Stdout(), said
	ts.Check(cmd.Start())
	ended, stop := context.WithCancel(context.Background())
	sent := make(chan bool)
	go func() { sent <- reached(ended, moment(ts, when, said, cmd.Process.Pid)) && send(cmd.Process, name) }()
	_ = cmd.Wait()
	stop()
	if !<-sent {
		ts.Fatalf("%s was not sent: it ended before %q", name, when)
	}
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != code {
		ts.Fatalf("exit code %s after %s, want %s", got, name, code)
	}
}

// moment reports whether the moment has come.
func moment(ts *testscript.TestScript, when string, said *heard, pid int) func() bool {
	of, text, inFile := strings.Cut(when, ":")
	of = ts.MkAbs(of)
	switch {
	case strings.HasPrefix(when, "opens:"):
		path, err := filepath.EvalSymlinks(ts.MkAbs(text))
		ts.Check(err)
		return func() bool {
			open, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
			return slices.ContainsFunc(open, func(fd string) bool {
				to, _ := os.Readlink(fd)
				return to == path
			})
		}
	case inFile && strings.ContainsAny(when, "/*"):
		return func() bool {
			files, _ := filepath.Glob(of) // the pattern is a constant of a script
			for _, file := range files {
				if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(text)) {
					return true
				}
			}
			return false
		}
	}
	return func() bool { return said.contains(when) }
}

// reached waits for a moment. It is false if the command has ended before.
func reached(ended context.Context, now func() bool) bool {
	for look := time.Tick(10 * time.Millisecond); !now(); {
		select {
		case <-look:
		case <-ended.Done():
			return false
		}
	}
	return true
}

// send sends a signal of that name.
func send(p *os.Process, name string) bool {
	sig := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[name]
	err := p.Signal(sig)
	if name == "HUP" { // a shell and the kernel both send it
		time.Sleep(10 * time.Millisecond)
		_ = p.Signal(sig)
	}
	return err == nil
}

// A heard writer keeps what was written to it.
type heard struct {
	io.Writer
	mu  sync.Mutex // guards all
	all strings.Builder
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	h.all.Write(b)
	h.mu.Unlock()
	return h.Writer.Write(b)
}

func (h *heard) contains(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(h.all.String(), text)
}
