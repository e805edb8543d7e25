package machine

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// The functions of a program: the first initializes the runtime and all packages and returns,
// the second is its main.
const (
	initialize = "_initialize"
	mainOf     = "run"
)

// A snapshot is a program after it has initialized itself: the memory and the globals with
// which a process begins. What a program draws at random after that, it draws for itself.
type snapshot struct {
	memories *memories
	pages    uint32
	globals  []uint64
	random   int   // where the state of its random generator is
	last     int64 // what the clock told last

	mu   sync.Mutex
	idle []*instance // of processes that have ended
}

// regG is the global in which Go keeps the goroutine that runs.
const regG = 2

// The time when a program initializes itself: a moment before a world begins.
const (
	bornMono = 1_000_000_000 - 1_000_000
	bornWall = 1_767_225_600_000_000_000 - 1_000_000
)

// A womb is the World of a program that initializes itself. It keeps what that has to say.
type womb struct{ said []byte }

// Now is one moment.
func (*womb) Now(*Process) (mono, wall int64) { return bornMono, bornWall }

// Random is the same for all: it goes into hashes, and each process draws anew what it draws
// after that.
func (*womb) Random(_ *Process, b []byte) {
	for i := range b {
		b[i] = byte(7*i + 1)
	}
}

// Wrote hears what it says.
func (w *womb) Wrote(_ *Process, _ *File, b []byte) { w.said = append(w.said, b...) }

// Dial finds nobody: the world has not begun.
func (*womb) Dial(*Process, string) *File { return nil }

// Closed does nothing.
func (*womb) Closed(*Process, *File) {}

// Ask knows nothing.
func (*womb) Ask(*Process, string) int32 { return 0 }

// Refused does nothing: what is tried here, as to read a file of settings, is not the lock's
// work.
func (*womb) Refused(*Process, string) {}

var (
	errNoMain = fmt.Errorf("it does not export %s and %s", initialize, mainOf)
	errWaits  = errors.New("a package waits for something while it is initialized, where nothing comes")
)

var errNoSnapshot = errors.New("the runtime of Go in the guest is not as this version of torture knows it")

// snapshot initializes a program with an environment.
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

// initialize lets the packages of a program initialize themselves.
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

// restore makes a new process what the program was.
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

// leave takes back an instance in which nothing runs any more.
func (s *snapshot) leave(ctx context.Context, i *instance) error {
	if i.drop(s.pages) != nil {
		return i.mod.Close(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, i)
	return nil
}
