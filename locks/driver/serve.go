package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/internal/hostclock"
	"locktorture/locks"
)

// An Opener makes the lock that a driver serves. Clock requests move clock; the lock must
// measure all time with clock.
type Opener func(ctx context.Context, o Open, clock *locks.SkewedClock) (locks.Locker, error)

// Serve answers the requests on in until a close request, the end of in, or the end of ctx. It
// then closes the lock without releasing anything. It returns nil unless a request could not be
// parsed or a reply could not be written.
func Serve(ctx context.Context, open Opener, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{ctx: ctx, open: open, out: out, calls: map[int64]context.CancelFunc{}}
	defer s.shut()
	defer cancel()

	in, done := pollable(in)
	defer done()
	lines := make(chan error, 1)
	go func() { lines <- s.read(in) }()
	select {
	case err := <-lines:
		return err
	case <-ctx.Done():
		return nil
	}
}

// A server is the state of one Serve.
type server struct {
	ctx  context.Context
	open Opener

	outMu sync.Mutex
	out   io.Writer

	clock locks.SkewedClock
	// hosted reports that faults move the wall clock of this process, and not the field clock.
	hosted atomic.Bool
	leases leaseTable

	mu     sync.Mutex
	locker locks.Locker
	// calls maps the id of a request to the function that cancels its call.
	calls map[int64]context.CancelFunc
}

// errClosed ends the reading of requests after a close request.
var errClosed = errors.New("closed")

// read handles requests until a close request or the end of the input. It returns an error for a
// line that is no request.
func (s *server) read(in io.Reader) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 4096), maxLine)
	for n := 1; sc.Scan(); n++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		var q request
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("request line %d: %w", n, err)
		}
		if err := s.handle(q); err != nil {
			if errors.Is(err, errClosed) {
				return nil
			}
			return fmt.Errorf("request line %d: %w", n, err)
		}
	}
	return sc.Err()
}

// handle answers requests that need no server. It runs the others in the background, so that a
// cancel can overtake the call that it ends.
func (s *server) handle(q request) error {
	switch q.Op {
	case opCancel:
		s.mu.Lock()
		cancel := s.calls[q.Target]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return nil
	case opClock:
		r := &reply{ID: q.ID}
		r.fail(s.setClock(time.Duration(q.Offset)))
		return s.send(r)
	case opAsk:
		return s.send(s.ask(q))
	case opClose:
		s.shut()
		if err := s.send(&reply{ID: q.ID}); err != nil {
			return err
		}
		return errClosed
	case opOpen, opAcquire, opTry, opRelease, opRenew, opUpgrade, opDowngrade, opSetCount, opCountDown, opAwait, opLeader:
		ctx, done := s.begin(q)
		go func() {
			defer done()
			s.call(ctx, q)
		}()
		return nil
	}
	r := &reply{ID: q.ID}
	r.fail(fmt.Errorf("operation %q: %w", q.Op, errors.ErrUnsupported))
	return s.send(r)
}

// setClock moves the lock's clock. With HostClock it instead checks that the wall clock has
// moved.
func (s *server) setClock(offset time.Duration) error {
	if s.hosted.Load() {
		return hostclock.Sees(offset)
	}
	s.clock.Set(offset)
	return nil
}

// now returns the present time of the clock on which the lock measures its validity.
func (s *server) now() time.Time {
	if s.hosted.Load() {
		return time.Now()
	}
	return s.clock.Now()
}

// begin returns the context of a call and registers it for cancel.
func (s *server) begin(q request) (context.Context, func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	if q.Timeout > 0 {
		ctx, cancel = withTimeout(ctx, cancel, time.Duration(q.Timeout))
	}
	s.mu.Lock()
	s.calls[q.ID] = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		delete(s.calls, q.ID)
		s.mu.Unlock()
		cancel()
	}
}

// withTimeout adds a time limit to a context. The returned function frees both contexts.
func withTimeout(ctx context.Context, outer context.CancelFunc, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, inner := context.WithTimeout(ctx, d)
	return ctx, func() { inner(); outer() }
}

// shut closes the lock without releasing its leases, as the end of the process would.
func (s *server) shut() {
	s.mu.Lock()
	l := s.locker
	s.locker = nil
	s.mu.Unlock()
	if l != nil {
		_ = l.Close() // the connection is being dropped: no error matters
	}
}

// send writes one reply as a single Write, so that a reader never sees a partial line.
func (s *server) send(r *reply) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	s.outMu.Lock()
	defer s.outMu.Unlock()
	_, err = s.out.Write(b)
	return err
}
