package machine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// A World provides the environment of processes. Only the running process calls it, from within
// Step.
type World interface {
	// Now returns the times of the process's monotonic clock and of its wall clock, in ns.
	Now(p *Process) (mono, wall int64)
	// Random fills b with random bytes.
	Random(p *Process, b []byte)
	// Dial opens a connection; nil if the address is unknown. The first byte that it delivers is
	// '+' once the connection is established.
	Dial(p *Process, addr string) *File
	// Wrote receives the bytes that the process writes to a file. It must not keep b.
	Wrote(p *Process, f *File, b []byte)
	// Closed is called when the process has closed a file.
	Closed(p *Process, f *File)
	// Ask answers a question, whose text the World defines.
	Ask(p *Process, question string) int32
	// Refused is called when a system call fails because the host does not offer it: a change
	// of files, or a listener.
	Refused(p *Process, call string)
}

// A Process is an instance of a Program.
type Process struct {
	World World
	Tag   any // for use by the World
	Stats Stats
	// Lazy allows the process to report its writes to the World only when it waits. It can be set
	// at any time, but must be false for a process that is halted at a write.
	Lazy bool
	// Quiet allows the process to report its questions to the World only when it waits, too.
	// Their answer is then 0.
	Quiet bool
	// IP is the address of a native process whose World is a Network; zero: it has no sockets. It is
	// set before the first Step.
	IP [4]byte
	// SlowDisk keeps each fsync of a native process from returning while it is set.
	SlowDisk bool
	// KeepsSync makes a native process report each fsync of a file to its World, which must be a
	// Disk.
	KeepsSync bool
	// BadDisk makes each fsync of a native process fail while it is set.
	BadDisk bool

	args, env []string
	files     map[int32]*File
	last      int64 // latest time that its monotonic clock returned

	remote *remote // set for a native process, which uses none of the following fields
	on     *instance
	from   *snapshot
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	wake   int64   // time at which its timer is due
	want   []*File // files from which it waits to read
	halted bool
	midway bool // it was halted during a Step, before it waited
	done   bool
	ended  bool // a native process has been killed and waited for
	code   uint32
	err    error
}

// Stats counts the steps and system calls of a process.
type Stats struct{ Steps, Calls int64 }

// Never is the Wake of a process without a timer.
const Never = math.MaxInt64

// ErrBusy is the error of a native process that computes without waiting. In virtual time nothing
// else happens meanwhile.
var ErrBusy = errors.New("it computes without waiting, so virtual time stands still; a loop must sleep or wait for a channel")

// killed is the exit code of a process that was ended from outside.
const killed = 137

// Start makes a process with the open files 0, 1 and 2. It first runs in its first Step, and begins
// with main: the packages were initialized once, for the first process with this environment.
func (p *Program) Start(ctx context.Context, w World, args, env []string) (*Process, error) {
	if p.kin != nil {
		return p.kin.start(ctx, w, args, env)
	}
	begin, err := p.begin(ctx, env)
	if err != nil {
		return nil, err
	}
	q := newProcess(w, args, env)
	q.from = begin
	if q.on, err = begin.take(ctx, p); err != nil {
		return nil, err
	}
	if err := begin.restore(q); err != nil {
		return nil, err
	}
	q.resume, q.stop = iter.Pull(func(yield func(struct{}) bool) {
		q.yield = yield
		q.run(context.WithValue(ctx, processKey{}, q))
	})
	return q, nil
}

func newProcess(w World, args, env []string) *Process {
	q := &Process{World: w, args: args, env: env, files: map[int32]*File{}, wake: Never}
	for fd := range int32(3) {
		q.files[fd] = &File{FD: fd}
	}
	return q
}

// run runs the main function of the process until it ends.
func (p *Process) run(ctx context.Context) {
	err := p.on.mod.Call(ctx, mainOf)
	var exit Exit
	if errors.As(err, &exit) {
		p.code, err = uint32(exit), nil
	}
	p.err, p.done = err, true
}

type processKey struct{}

// of returns the process whose call has the context ctx.
func of(ctx context.Context) *Process { return ctx.Value(processKey{}).(*Process) }

// File returns an open file; nil if the descriptor is unused.
func (p *Process) File(fd int32) *File { return p.files[fd] }

// Step runs the process until it waits or ends.
func (p *Process) Step() {
	if !p.done {
		p.Stats.Steps++
		if p.remote != nil {
			p.remote.step(p)
			return
		}
		p.resume()
	}
}

// Ready reports whether a Step would do anything now: the process has not run yet, has input, or
// its timer is due.
func (p *Process) Ready() bool {
	switch {
	case p.done || p.halted:
		return false
	case p.midway || p.Stats.Steps == 0:
		return true
	}
	if p.remote != nil && p.unsent() {
		return true
	}
	for _, f := range p.want {
		if f.ready() {
			return true
		}
	}
	now, _ := p.World.Now(p)
	return p.wake != Never && now >= p.wake
}

// Halt stops the process: at once if its World calls Halt during a Step, otherwise where it waits.
func (p *Process) Halt() { p.halted = true }

// Continue lets a halted process go on with its next Step.
func (p *Process) Continue() { p.halted = false }

// Halted reports whether the process is halted.
func (p *Process) Halted() bool { return p.halted }

// stand waits while the process is halted.
func (p *Process) stand() {
	for p.halted {
		p.midway = true
		p.suspend()
	}
	p.midway = false
}

// Wake returns the time at which the timer is due, on the monotonic clock; Never if there is no
// timer.
func (p *Process) Wake() int64 { return p.wake }

// Done reports whether the process has ended.
func (p *Process) Done() bool { return p.done }

// Err returns the error of a process that has ended with an exit code other than 0.
func (p *Process) Err() error {
	switch {
	case p.err != nil:
		return p.err
	case p.code == killed:
		return errors.New("killed")
	case p.code != 0:
		return fmt.Errorf("exit code %d", p.code)
	}
	return nil
}

// Said returns what a native process has written to its standard error so far. The World of a process
// in wasm hears it at once.
func (p *Process) Said() []byte {
	if p.remote == nil {
		return nil
	}
	return p.remote.said()
}

// Close kills the process and frees its memory.
func (p *Process) Close(ctx context.Context) error {
	if p.remote != nil {
		return p.end()
	}
	p.stop()
	p.done = true
	on := p.on
	if on == nil {
		return nil // a second call
	}
	p.on = nil
	return p.from.leave(ctx, on)
}

// suspend returns control to the caller of Step until the next Step.
func (p *Process) suspend() {
	if p.yield == nil || !p.yield(struct{}{}) { // nil: the program is being initialized
		panic(Exit(killed)) // ends the call into the module
	}
}
