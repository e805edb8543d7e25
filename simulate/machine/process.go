package machine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// A World is what processes see of the outside. It is called from Step only, by the process
// that runs.
type World interface {
	// Now is the time of the process's monotonic clock, and of its wall clock, in ns.
	Now(p *Process) (mono, wall int64)
	// Random fills b.
	Random(p *Process, b []byte)
	// Dial opens a connection; nil: nobody has that address. The first byte delivered to it is
	// '+' once the connection is made.
	Dial(p *Process, addr string) *File
	// Wrote takes what the process writes to a file. It must not keep b.
	Wrote(p *Process, f *File, b []byte)
	// Closed tells that the process has closed a file.
	Closed(p *Process, f *File)
	// Ask answers a question in words of the World's own.
	Ask(p *Process, question string) int32
	// Refused hears of a call for files or for a place to listen, which fails: there are none.
	Refused(p *Process, call string)
}

// A Process is an instance of a Program.
type Process struct {
	World World
	Tag   any // the World's own
	Stats Stats
	// Lazy: what the process writes may be told to the World when it waits, and not at once. It
	// can be set at any time; a process that is halted where it writes needs it false.
	Lazy bool
	// Quiet: the same for what it asks, which the World answers with 0.
	Quiet bool

	args, env []string
	files     map[int32]*File
	last      int64 // what its monotonic clock told last

	remote *remote // of a native program; else what follows
	on     *instance
	from   *snapshot
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool

	wake   int64   // when its timer is due
	want   []*File // what it waits to read
	halted bool
	midway bool // it was halted between two of its waits
	done   bool
	ended  bool // a native one, and was waited for
	code   uint32
	err    error
}

// Stats count what a process did.
type Stats struct{ Steps, Calls int64 }

// Never is the Wake of a process without a timer.
const Never = math.MaxInt64

// killed is the exit code of a process that was ended from outside.
const killed = 137

// Start makes a process, which runs when it is stepped first. Files 0, 1 and 2 are there. It
// begins with its main: what its packages do before that was done once, for the first process
// with that environment.
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

// run is the life of the process.
func (p *Process) run(ctx context.Context) {
	err := p.on.mod.Call(ctx, mainOf)
	var exit Exit
	if errors.As(err, &exit) {
		p.code, err = uint32(exit), nil
	}
	p.err, p.done = err, true
}

type processKey struct{}

// of is the process that has made a call.
func of(ctx context.Context) *Process { return ctx.Value(processKey{}).(*Process) }

// File returns an open file; nil if there is none.
func (p *Process) File(fd int32) *File { return p.files[fd] }

// Step runs the process until it waits, or ends.
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

// Ready reports whether a Step would do anything now: it has not run yet, has something to
// read, or its timer is due.
func (p *Process) Ready() bool {
	switch {
	case p.done || p.halted:
		return false
	case p.midway || p.Stats.Steps == 0:
		return true
	}
	if p.remote != nil && p.told() {
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

// Halt stops the process where it is: at once, also from a call of its own World, or where it
// waits.
func (p *Process) Halt() { p.halted = true }

// Continue lets a halted process go on with its next Step.
func (p *Process) Continue() { p.halted = false }

// Halted tells whether it is.
func (p *Process) Halted() bool { return p.halted }

// stand waits while the process is halted.
func (p *Process) stand() {
	for p.halted {
		p.midway = true
		p.suspend()
	}
	p.midway = false
}

// Wake is when its timer is due, on its monotonic clock; Never if it has none.
func (p *Process) Wake() int64 { return p.wake }

// Done reports whether the process has ended.
func (p *Process) Done() bool { return p.done }

// Err is why a process has ended, if not with exit code 0.
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

// Close ends the process where it is, and frees its memory.
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

// suspend hands control back to the caller of Step, until the next.
func (p *Process) suspend() {
	if p.yield == nil || !p.yield(struct{}{}) { // nil: it initializes itself
		panic(Exit(killed)) // which ends the call into the module
	}
}
