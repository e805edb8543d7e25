package simulate

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"

	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// A process is a program of the run: the harness, or the driver of a client.
type process struct {
	w      *world
	client int   // number of the client, from 1; 0: the harness
	number int   // process number in the history; -1: the harness; above firstServer: a server
	node   *node // the server that runs in it; nil: none

	proc   *machine.Process
	random *rand.ChaCha8
	due    int64 // time for which its timer was last planned; 0: not planned
	line   []byte
	said   bytes.Buffer   // standard error
	dials  map[int]uint64 // number of dials, by server
	conns  []*conn
	pipe   *pipe // pipe from the harness to a driver; nil for the harness
	skew   int64 // ns by which faults have moved its wall clock
	doomed bool  // it is about to be killed
}

const (
	// began is the time of every wall clock at the start: 2026-01-01.
	began = 1_767_225_600_000_000_000
	// uptime is the time of every monotonic clock at the start, as on a machine that has been up
	// for a second.
	uptime = 1_000_000_000
)

// environment disables the garbage collector until memory is short.
func environment() []string { return []string{"GOGC=off", "GOMEMLIMIT=192MiB"} }

func (w *world) start(program string, client, number int) (*process, error) {
	from := w.cfg.Program
	if client > 0 && w.cfg.Driver != nil {
		from = w.cfg.Driver
	}
	p := &process{w: w, client: client, number: number}
	if err := p.start(from, program); err != nil {
		return nil, err
	}
	p.proc.Lazy = !w.stopsAmid(client)
	return p, nil
}

// start makes the process, which runs later.
func (p *process) start(from *machine.Program, program string) error {
	w := p.w
	var seed [32]byte
	for i := range uint64(4) {
		binary.LittleEndian.PutUint64(seed[8*i:], mix(w.cfg.Order.Seed, 'p', uint64(p.number), i))
	}
	p.random, p.dials = rand.NewChaCha8(seed), map[int]uint64{}
	var err error
	if p.proc, err = from.Start(w.ctx, p, []string{"guest", program}, environment()); err != nil {
		return err
	}
	w.all = append(w.all, p)
	return nil
}

// mostSteps bounds the steps of a process at one time.
const mostSteps = 100_000

// kick runs the process until it waits for a later event.
func (p *process) kick() {
	if p.proc.Halted() {
		return
	}
	for n := 0; p.w.err == nil && p.proc.Ready(); n++ {
		p.proc.Step()
		if n > mostSteps {
			p.w.fail("%v keeps running and never waits", p)
		}
	}
	if p.proc.Done() {
		p.ended()
		return
	}
	if p.proc.Halted() {
		return // its timers remain and are read when it goes on
	}
	wake := p.proc.Wake()
	if wake == machine.Never || wake == p.due {
		return
	}
	p.due = wake
	p.w.clock.at(wake-uptime, func() {
		if p.due == wake { // otherwise another time was planned since
			p.due = 0
			p.kick()
		}
	})
}

// ended reports the end of the process to the harness. The run fails if a server ends by
// itself, except after a fault of its disk.
func (p *process) ended() {
	if p.pipe != nil {
		p.pipe.end()
	}
	switch err := p.proc.Err(); {
	case errors.Is(err, machine.ErrBusy):
		p.w.fail("%v: %w", p, err)
	case p.node == nil || p.doomed:
	case p.node.member.betrayed:
		p.node.member.crash()
	default:
		p.w.fail("%v ended: %w: %s", p, cmp.Or(err, errEnded), bytes.TrimSpace(p.said.Bytes()))
	}
}

var errEnded = errors.New("exit code 0")

// failed returns the error that ended the harness, with the standard error of each process.
// Messages with the same first line appear once.
func (w *world) failed() error {
	err := w.harness.proc.Err()
	if err == nil {
		return nil
	}
	told := map[string]bool{}
	for _, p := range w.all {
		said := bytes.TrimSpace(p.said.Bytes())
		first, _, _ := bytes.Cut(said, []byte("\n"))
		if len(said) > 0 && !told[string(first)] {
			told[string(first)] = true
			err = fmt.Errorf("%w\n%v: %s", err, p, said)
		}
	}
	return err
}

func (p *process) String() string {
	if p.node != nil {
		return p.node.name
	}
	if p.client == 0 {
		return "harness"
	}
	return fmt.Sprintf("c%d (process %d)", p.client, p.number)
}

// The following methods implement machine.World.

// Now returns the virtual time.
func (p *process) Now(*machine.Process) (mono, wall int64) {
	wall = began + p.w.clock.now + p.skew
	if p.node != nil {
		wall += p.node.offset
	}
	return uptime + p.w.clock.now, wall
}

// Random draws from the process's own random stream.
func (p *process) Random(_ *machine.Process, b []byte) { _, _ = p.random.Read(b) }

// Dial connects to a server or starts a driver.
func (p *process) Dial(_ *machine.Process, addr string) *machine.File {
	server, client, number, ok := inside.ParseAddr(addr)
	switch {
	case !ok || server > len(p.w.servers.all):
		return nil
	case server > 0:
		return p.connect(p.w.servers.all[server-1], inside.Ports()[p.w.cfg.Order.Cluster()], &machine.File{})
	}
	return p.startDriver(client, number)
}

// Wrote sends the bytes that the process writes to a connection, or keeps its output.
func (p *process) Wrote(_ *machine.Process, f *machine.File, b []byte) {
	switch to := f.Tag.(type) {
	case *conn:
		to.request(bytes.Clone(b))
	case *pipe:
		to.request(bytes.Clone(b))
	case far:
		to.write(bytes.Clone(b))
	case *visit:
		to.said = append(to.said, b...)
	default:
		p.output(f.FD, b)
	}
}

// output handles standard output and standard error. Each line that the harness prints is an entry
// of the history.
func (p *process) output(fd int32, b []byte) {
	switch {
	case fd == 2:
		p.said.Write(explains(p.node, b))
	case p.pipe != nil:
		p.pipe.reply(bytes.Clone(b))
	default:
		p.line = append(p.line, b...)
		for {
			line, rest, whole := bytes.Cut(p.line, []byte("\n"))
			if !whole {
				return
			}
			p.w.record(line)
			p.line = rest
		}
	}
}

// Closed closes a connection or a pipe.
func (p *process) Closed(_ *machine.Process, f *machine.File) {
	switch of := f.Tag.(type) {
	case *conn:
		of.closed()
	case *pipe:
		of.closed()
	case far:
		of.close()
	case *visit:
		of.answered(of.said)
	case *member:
		maps.DeleteFunc(of.listeners, func(_ int, l *machine.File) bool { return l == f })
	}
}

// Ask handles a request of the harness.
func (p *process) Ask(_ *machine.Process, question string) int32 {
	p.w.sum.note("hear", 0, []byte(question))
	var client, number int
	var step string
	switch {
	case question == inside.AskBegin:
		p.w.plan.striking = true
	case question == inside.AskOver:
		p.w.over()
	case scan(question, inside.AskGate, &client, &step):
		if p.w.gate(client, step) {
			return 1
		}
	case scan(question, inside.AskHalt, &client, &number):
		p.w.halt(client, number, true)
	case scan(question, inside.AskGoOn, &client, &number):
		p.w.halt(client, number, false)
	default:
		return p.w.scripted(question)
	}
	return 0
}

// ErrCall reports that a process made a system call that is not simulated.
var ErrCall = errors.New("not simulated")

// Refused ends the run, because the lock would behave differently elsewhere.
func (p *process) Refused(_ *machine.Process, call string) {
	why := "a simulated client has no files and cannot listen"
	if p.node != nil {
		why = "a simulated server has the files of its folder, and listens at its own address"
	}
	p.w.fail("%w: %v calls %s: %s", ErrCall, p, call, why)
}

func scan(text, form string, to ...any) bool {
	_, err := fmt.Sscanf(text, form, to...)
	return err == nil
}

// halt stops the process of a client, or lets it go on.
func (w *world) halt(client, number int, stand bool) {
	d := w.drivers[client]
	switch {
	case d == nil || d.number != number: // the process was killed meanwhile
	case stand:
		d.proc.Halt()
	default:
		d.goOn()
	}
}

// goOn lets a halted process go on, unless it was killed meanwhile.
func (p *process) goOn() {
	if !p.doomed && !p.proc.Done() {
		p.proc.Continue()
		p.w.clock.after(0, p.kick)
	}
}
