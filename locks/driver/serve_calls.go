package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// errNotOpen is the answer to calls before open and after close. It is certain, because no request
// reached a server.
var errNotOpen = fmt.Errorf("lock is not open: %w", errors.ErrUnsupported)

// call carries out a request that may take long, and answers it. It ignores write errors, because
// the reader then also notices that the other side is gone.
func (s *server) call(ctx context.Context, q request) {
	switch q.Op {
	case opOpen:
		_ = s.send(s.opened(ctx, q))
	case opAcquire, opTry:
		s.acquire(ctx, q)
	case opRelease:
		r := &reply{ID: q.ID}
		r.fail(s.release(ctx, q.Lease))
		_ = s.send(r)
	case opRenew:
		r := &reply{ID: q.ID}
		r.fail(s.renew(ctx, q.Lease))
		_ = s.send(r)
	case opUpgrade, opDowngrade:
		r := &reply{ID: q.ID}
		r.fail(s.change(ctx, q))
		_ = s.send(r)
	case opSetCount, opCountDown, opAwait:
		r := &reply{ID: q.ID}
		r.fail(s.latch(ctx, q))
		_ = s.send(r)
	case opLeader:
		_ = s.send(s.leader(ctx, q))
	}
}

// opened opens the lock and returns the reply, which reports whether the lock supports
// TryAcquire.
func (s *server) opened(ctx context.Context, q request) *reply {
	r := &reply{ID: q.ID}
	if q.Open == nil {
		r.fail(errors.New("open without a description of the lock"))
		return r
	}
	s.hosted.Store(q.Open.HostClock)
	l, err := s.open(ctx, *q.Open, &s.clock)
	if err != nil {
		r.fail(err)
		return r
	}
	s.mu.Lock()
	again := s.locker != nil
	if !again {
		s.locker = l
	}
	s.mu.Unlock()
	if again {
		_ = l.Close()
		r.fail(errors.New("lock is open already"))
		return r
	}
	_, r.Try = l.(locks.Trier)
	return r
}

// acquire takes the lock and answers. The grant is registered before the reply is sent, because the
// client may release it at once.
func (s *server) acquire(ctx context.Context, q request) {
	r := &reply{ID: q.ID}
	l, err := s.take(ctx, q)
	if err != nil {
		r.fail(err)
		_ = s.send(r)
		return
	}
	k := s.leases.add(l)
	r.Lease = k.id
	if f, ok := l.(locks.Fenced); ok {
		r.Token = f.Token()
	}
	if o, ok := l.(locks.Owned); ok {
		r.Owner = o.Owner()
	}
	if b, ok := l.(locks.Bounded); ok {
		n := int64(b.Until().Sub(s.now()))
		r.Remaining = &n
	}
	// Send the grant before its loss can be reported.
	_ = s.send(r)
	if w, ok := l.(locks.Watched); ok {
		go s.watch(k, w)
	}
}

// opens returns the open lock, or errNotOpen.
func (s *server) opens() (locks.Locker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locker == nil {
		return nil, errNotOpen
	}
	return s.locker, nil
}

// take acquires the requested part of the lock, with or without waiting.
func (s *server) take(ctx context.Context, q request) (locks.Lease, error) {
	l, err := s.opens()
	if err != nil {
		return nil, err
	}
	if q.Op == opAcquire {
		claim, err := q.claim()
		if err != nil {
			return nil, err
		}
		return locks.Take(ctx, l, q.Lock, claim)
	}
	t, ok := l.(locks.Trier)
	if !ok {
		return nil, fmt.Errorf("try: %w", errors.ErrUnsupported)
	}
	return t.TryAcquire(ctx, q.Lock)
}

// watch reports the loss of a lease once, unless the client released the lease before.
func (s *server) watch(k *held, w locks.Watched) {
	select {
	case <-w.Lost():
		at := Monotonic()
		select {
		case <-k.released:
		default:
			_ = s.send(&reply{Event: eventLost, Lease: k.id, Mono: at})
		}
	case <-k.released:
	case <-s.ctx.Done():
	}
}

// release releases a lease through the lock. It keeps the lease in the table if the outcome is
// unknown, so that the client can try again.
func (s *server) release(ctx context.Context, id int64) error {
	k := s.leases.get(id)
	if k == nil {
		return fmt.Errorf("release lease %d: %w", id, locks.ErrNotHeld)
	}
	err := k.lease.Release(ctx)
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		s.leases.release(k)
	}
	return err
}

// renew extends a lease, or returns errors.ErrUnsupported.
func (s *server) renew(ctx context.Context, id int64) error {
	k := s.leases.get(id)
	if k == nil {
		return fmt.Errorf("renew lease %d: %w", id, locks.ErrNotHeld)
	}
	r, ok := k.lease.(locks.Renewer)
	if !ok {
		return fmt.Errorf("renew: %w", errors.ErrUnsupported)
	}
	return r.Renew(ctx)
}

// ask answers from the driver's own knowledge of the lease, without a request to a server.
func (s *server) ask(q request) *reply {
	r := &reply{ID: q.ID}
	k := s.leases.get(q.Lease)
	if k == nil || k.over() {
		r.fail(fmt.Errorf("ask lease %d: %w", q.Lease, locks.ErrNotHeld))
		return r
	}
	if b, ok := k.lease.(locks.Bounded); ok {
		left := b.Until().Sub(s.now())
		if left <= 0 {
			r.fail(fmt.Errorf("lease ended %v ago: %w", -left.Round(time.Microsecond), locks.ErrNotHeld))
			return r
		}
		n := int64(left)
		r.Remaining = &n
	}
	return r
}
