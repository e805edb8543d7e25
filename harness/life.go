package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// errDead ends the section of a killed client.
var errDead = errors.New("client was killed")

// A life is the sequence of a client's processes, one at a time. The process number changes when a
// process is retired or killed. Faults call the methods from other goroutines.
type life struct {
	run    *Run
	client int // number of the client

	mu      sync.Mutex // guards the fields below, and orders a kill with the client's records
	process int
	alive   bool
	locker  locks.Locker
	ended   context.CancelFunc // cancels the client's work when it is killed

	rng *rand.Rand // random source of the current process; belongs to the goroutine that does the client's work
}

// processRand returns the random source of a process, which depends only on the seed and the
// process number, so that a replayed run draws the same sections.
func processRand(seed uint64, process int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(process)+1))
}

// record writes an entry of the client.
func (l *life) record(op history.Op) history.Op {
	op.Client = l.client
	return l.run.record(op)
}

// invoke records the invocation of an operation. It fails if the client is dead: after a kill
// no operation may start.
func (l *life) invoke(op history.Op) (history.Op, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.alive {
		return op, errDead
	}
	op.Process, op.Type = l.process, history.Invoke
	return l.record(op), nil
}

// complete records the completion of an invoked operation. err, if not nil, is recorded as its
// error.
func (l *life) complete(op history.Op, t history.Type, err error) history.Op {
	op.Type = t
	if err != nil {
		op.Error = err.Error()
	}
	return l.record(op)
}

// completeAlive records the success of an operation, unless its client was killed before. The
// answer to a dead client proves nothing, because the service may have undone the effect since.
func (l *life) completeAlive(op history.Op) (done history.Op, alive bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.alive {
		return op, false
	}
	return l.complete(op, history.OK, nil), true
}

// begin returns a context that ends when the current process is killed.
func (l *life) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	life, end := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alive {
		l.ended = end
	} else {
		end()
	}
	return life, end
}

// retire gives the client a new process number after an unknown outcome. The client keeps its
// connection, because an application does not restart when a request times out. Leases of the
// earlier process still belong to the client.
func (l *life) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alive {
		l.process += l.run.cfg.Clients
		l.rng = processRand(l.run.cfg.Seed, l.process)
	}
}

// revive opens the client's lock if it is not open: at the start, and after a kill.
func (l *life) revive(ctx context.Context) error {
	l.mu.Lock()
	if l.alive {
		l.mu.Unlock()
		return nil
	}
	if l.locker != nil {
		l.process += l.run.cfg.Clients
		l.rng = processRand(l.run.cfg.Seed, l.process)
	}
	process := l.process
	l.mu.Unlock()

	var locker locks.Locker
	var err error
	for begin := time.Now(); ; {
		if locker, err = l.run.cfg.Open(ctx, l.client, process); err == nil {
			break
		}
		// A fault may have stopped the service; the client tries again until the fault is healed.
		if ctx.Err() != nil || min(time.Since(begin), l.run.faults.calm()) > openLimit {
			return fmt.Errorf("open lock: %w", err)
		}
		sleep(ctx, 50*time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locker, l.alive = locker, true
	return nil
}

// openLimit bounds the time in which a client tries to open its lock while no fault is in place.
const openLimit = 30 * time.Second

// broken returns the error of a client's process that ended although no fault killed it. Such an
// end is an error of the program, not of the lock.
func (l *life) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.locker.(interface{ Err() error })
	if !ok || !l.alive || p.Err() == nil {
		return nil
	}
	return fmt.Errorf("client %d: its process has ended, and no fault ended it: %w", l.client, p.Err())
}

// dead reports whether the client was killed.
func (l *life) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.alive
}

// processNow returns the client's current process number.
func (l *life) processNow() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.process
}

// current returns the locker of the current process.
func (l *life) current() locks.Locker {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.locker
}

// ownProcess returns the client's locker as a process that can be stopped and killed.
func (l *life) ownProcess() (Process, error) {
	p, ok := l.current().(Process)
	if !ok {
		return nil, errInProcess
	}
	return p, nil
}

// close ends the current process at the end of the run. A dead process is closed already.
func (l *life) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locker == nil || !l.alive {
		return nil
	}
	l.alive = false
	return l.locker.Close()
}
