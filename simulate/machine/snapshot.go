package machine

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// The exported functions of a program. The first initializes the runtime and all packages and
// returns, the second is main.
const (
	initialize = "_initialize"
	mainOf     = "run"
)

// A snapshot is the state of a program after its initialization: the memory and the globals with
// which each process begins. Each process then has its own random numbers.
type snapshot struct {
	memories *memories
	pages    uint32
	globals  []uint64
	random   int   // offset of the random generator's state
	last     int64 // latest time that the clock returned

	mu   sync.Mutex
	idle []*instance // instances of processes that have ended
}

// regG is the index of the global in which Go keeps the running goroutine.
const regG = 2

// The time of the initialization, just before a world begins.
const (
	bornMono = 1_000_000_000 - 1_000_000
	bornWall = 1_767_225_600_000_000_000 - 1_000_000
)

// A womb is the World of a program during its initialization. It keeps the program's output.
type womb struct{ said []byte }

// Now always returns the same time.
func (*womb) Now(*Process) (mono, wall int64) { return bornMono, bornWall }

// Random returns the same bytes for all programs. They seed hashes; each process is seeded anew
// afterwards.
func (*womb) Random(_ *Process, b []byte) {
	for i := range b {
		b[i] = byte(7*i + 1)
	}
}

// Wrote keeps the output, for the error message.
func (w *womb) Wrote(_ *Process, _ *File, b []byte) { w.said = append(w.said, b...) }

// Dial finds no address, because the world has not begun.
func (*womb) Dial(*Process, string) *File { return nil }

// Closed does nothing.
func (*womb) Closed(*Process, *File) {}

// Ask answers 0 to every question.
func (*womb) Ask(*Process, string) int32 { return 0 }

// Refused ignores failed calls, because calls during the initialization, such as opening a settings
// file, do not belong to the lock.
func (*womb) Refused(*Process, string) {}

var (
	errNoMain = fmt.Errorf("it does not export %s and %s", initialize, mainOf)
	errWaits  = errors.New("a package waits for something during its initialization, when nothing can arrive")
)

var errNoSnapshot = errors.New("this version of torture does not know the guest's Go runtime")

// snapshot initializes the program with an environment.
func (p *Program) snapshot(ctx context.Context, env []string) (*snapshot, error) {
	i, err := p.instantiate(ctx, p.memories)
	if err != nil {
		return nil, err
	}
	defer i.mod.Close(ctx)
	w := &womb{}
	q := newProcess(w, []string{"guest"}, env)
	if err := i.initialize(context.WithValue(ctx, processKey{}, q)); err != nil {
		return nil, fmt.Errorf("initialize guest: %w: %s", err, w.said)
	}
	s := &snapshot{last: q.last}
	for n := 0; ; n++ {
		get, _ := i.mod.Global(globalName(n))
		if get == nil {
			break
		}
		s.globals = append(s.globals, get())
	}
	size := i.mod.Memory().Size()
	s.pages = size / pageSize
	mem, ok := i.mod.Memory().Read(0, size)
	if ok && len(s.globals) > regG {
		s.random = generator(mem, s.globals[regG])
	}
	if s.random == 0 {
		return nil, errNoSnapshot
	}
	s.memories, err = newMemories(mem)
	return s, err
}

// initialize runs the initialization of all packages.
func (i *instance) initialize(ctx context.Context) error {
	if !i.mod.Exports(initialize) || !i.mod.Exports(mainOf) {
		return errNoMain
	}
	err := i.mod.Call(ctx, initialize)
	if of(ctx).wake != Never || len(of(ctx).want) > 0 {
		return errWaits
	}
	return err
}

// restore sets a new process to the state of the snapshot.
func (s *snapshot) restore(q *Process) error {
	mod := q.on.mod
	for n, v := range s.globals {
		_, set := mod.Global(globalName(n))
		if set == nil {
			return errNoSnapshot
		}
		set(v)
	}
	state, ok := mod.Memory().Read(uint32(s.random), stateSize)
	if !ok {
		return errNoSnapshot
	}
	var seed [32]byte
	var quickly [8]byte
	q.World.Random(q, seed[:])
	q.World.Random(q, quickly[:])
	seedGenerator(state, seed, quickly)
	q.last = s.last
	return nil
}

// take returns an instance whose memory equals the snapshot.
func (s *snapshot) take(ctx context.Context, p *Program) (*instance, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		i := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return i, nil
	}
	s.mu.Unlock()
	i, err := p.instantiate(ctx, s.memories)
	if err != nil {
		return nil, err
	}
	return i, i.size(s.pages)
}

// leave keeps an instance in which no process runs any more.
func (s *snapshot) leave(ctx context.Context, i *instance) error {
	if i.drop(s.pages) != nil {
		return i.mod.Close(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, i)
	return nil
}
