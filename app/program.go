package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/internal/child"
	"locktorture/internal/hostclock"
	"locktorture/locks/driver"
	"locktorture/trial"
)

// A program is a process of the user: a replica, the load, or a program that runs before them.
type program struct {
	what    string // "replica 2"
	command []string
	env     []string
	dir     string
	log     io.Writer
	secrets trial.Secrets // which its output may contain, but no log
	now     func() int64
	line    func(text string, began int64)
	look    bool
	clocked bool    // its wall clock can be moved
	starter starter // nil: it is a process of this machine
}

// A process is a program that runs or has ended.
type process struct {
	body
	said *child.Tail
	read chan struct{} // closed when all of its output was read
	line chan struct{} // of a replica: closed when it has written that it is ready
	name string
	what string

	struck atomic.Bool      // a fault ends it
	clock  *hostclock.Clock // nil: that of the host
}

// start starts the program.
func (p program) start() (*process, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.what, err)
	}
	started, said := p.now(), &child.Tail{Next: p.log}
	q := &process{said: said, read: make(chan struct{}), name: shellquote.Join(p.command...), what: p.what}
	if p.starter != nil {
		q.body, err = p.starter(p.env, in)
	} else {
		q.body, err = p.child(in, &q.clock)
	}
	if err != nil {
		_ = out.Close()
		return nil, q.fault(err)
	}
	// When a line of a container was written is not known: the engine reads it first.
	lines := &output{from: out, log: p.secrets.Writer(said), now: p.now, line: p.line, look: p.look, collected: p.starter != nil, started: started}
	go func() {
		lines.read()
		close(q.read)
	}()
	return q, nil
}

// child starts the program in a process group of its own.
func (p program) child(in *os.File, clock **hostclock.Clock) (body, error) {
	defer in.Close() // the child has its own
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, append(os.Environ(), p.env...), in, in
	o := child.Options{What: p.what, Roams: true, Sweep: true}
	if p.clocked {
		o.Born = func(pid int) (err error) {
			*clock, err = hostclock.Plant(pid)
			return err
		}
	}
	return child.Start(cmd, o)
}

// fault returns an error of the program, with the end of its output and a remedy.
func (q *process) fault(err error) error {
	next := "its whole output is in the run directory, if there was a run; torture app --help says what a replica gets"
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		next = "is the program built? If it is in the directory of app.yaml, write ./ before its name"
	case errors.Is(err, fs.ErrPermission):
		next = "it is not executable: chmod +x, or name its interpreter: [python3, worker.py]"
	}
	return &driver.Error{What: q.what, Name: "(" + q.name + ")", Err: err, Said: q.said.Said(), Next: next}
}

// ended waits a short time for the rest of the output of a process that has ended, and returns its
// exit status.
func (q *process) ended() error {
	select {
	case <-q.read:
	case <-time.After(time.Second): // another process has its output
	}
	return q.Err()
}

// stop asks the process to end. When the time is over, it kills the process with all its
// descendants.
func (q *process) stop(ctx context.Context, grace time.Duration) error {
	_ = q.Signal(syscall.SIGTERM) // a process that has ended ignores it
	select {
	case <-q.Done():
	case <-time.After(grace):
	case <-ctx.Done():
	}
	return q.kill(ctx)
}

// killLimit bounds the time until a killed process has ended.
const killLimit = 10 * time.Second

// kill ends the process and all its descendants. Descendants outside of its process group were
// found and ended, so they are no error.
func (q *process) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	if err := q.Kill(ctx); err != nil && q.Alive() {
		return err
	}
	return nil
}

// run waits until a program has ended, within a limit.
func (p program) run(ctx context.Context, limit time.Duration) error {
	q, err := p.start()
	if err != nil {
		return err
	}
	select {
	case <-q.Done():
	case <-ctx.Done():
		return errors.Join(ctx.Err(), q.kill(ctx))
	case <-time.After(limit):
		err := q.fault(fmt.Errorf("it did not end within %s (limits: %s)", limit, strings.Fields(p.what)[0]))
		return errors.Join(err, q.kill(ctx))
	}
	if err := q.ended(); !errors.Is(err, child.ErrExited) {
		return q.fault(err)
	}
	select {
	case <-q.read:
		return nil
	case <-time.After(limit):
		return q.fault(errors.New("it ended, but another process keeps its output open"))
	}
}
