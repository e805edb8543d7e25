package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"locktorture/locks"
)

// A kubeLeader is a LeaderElector that leads, or tries to.
type kubeLeader struct {
	record  *kubeRecord
	elector *leaderelection.LeaderElector
	owner   string
	settle  bool
	cancel  context.CancelFunc
	done    chan struct{} // closed when the elector has returned
	lost    chan struct{}

	resigned atomic.Bool
}

var (
	_ locks.Fenced  = (*kubeLeader)(nil)
	_ locks.Watched = (*kubeLeader)(nil)
	_ locks.Owned   = (*kubeLeader)(nil)
)

// errKept: the library has ended without a request to release.
var errKept = errors.New("the library released nothing")

// stopped is OnStoppedLeading.
func (l *kubeLeader) stopped() {
	if !l.resigned.Load() {
		close(l.lost)
	}
}

// Token returns the term under which the Lease was first written.
func (l *kubeLeader) Token() uint64 { return l.record.written().term }

// Lost is closed by OnStoppedLeading.
func (l *kubeLeader) Lost() <-chan struct{} { return l.lost }

// Owner returns the identity.
func (l *kubeLeader) Owner() string { return l.owner }

// Release ends the elector, which releases the Lease if it is told to. The library does not
// tell what came of it: that is seen from its requests. A leader that was told its loss need not
// have lost the Lease: if no API server answered, it has its name until another takes it.
func (l *kubeLeader) Release(ctx context.Context) error {
	if l.resigned.Swap(true) {
		return locks.ErrNotHeld
	}
	lost := false
	select {
	case <-l.lost:
		lost = true
	default:
	}
	if l.settle {
		l.record.writing.Lock()
	}
	l.cancel()
	if l.settle {
		l.record.writing.Unlock()
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return fmt.Errorf("resign: %w", ctx.Err())
	}
	switch w := l.record.written(); {
	case w.released && lost: // before it told the loss
		return locks.ErrNotHeld
	case w.released:
		return nil
	case w.failure != nil:
		return fmt.Errorf("resign: %w", w.failure)
	case !l.elector.IsLeader():
		return locks.ErrNotHeld
	}
	return fmt.Errorf("resign: %w", errKept)
}

// giveUp ends a campaign whose caller is gone, and reports whether it can have taken anything.
func (l *kubeLeader) giveUp(ctx context.Context, patience time.Duration) error {
	l.resigned.Store(true)
	l.cancel()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-l.done:
	case <-t.C:
		return fmt.Errorf("campaign: the library did not return within %v after: %w", patience, ctx.Err())
	}
	w := l.record.written()
	if w.term == 0 && w.doubt == nil || w.released {
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
	}
	if w.doubt != nil {
		return fmt.Errorf("campaign: %w (%w)", ctx.Err(), w.doubt)
	}
	return fmt.Errorf("campaign: %w", ctx.Err())
}

// A kubeRecord is the library's lock on a Lease, and notes what was written.
type kubeRecord struct {
	resourcelock.Interface

	writing sync.Mutex // held from a request to its answer

	mu   sync.Mutex
	seen kubeWritten
}

// kubeWritten is what came of an elector's writes.
type kubeWritten struct {
	term     uint64 // of the first that named it the holder; 0: none
	doubt    error  // of the last such that was not answered, before there was one
	released bool   // the last that named nobody
	failure  error  // of that
}

// written returns what came of the writes until now.
func (r *kubeRecord) written() kubeWritten {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// Create notes the first term.
func (r *kubeRecord) Create(ctx context.Context, ler resourcelock.LeaderElectionRecord) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	err := r.Interface.Create(ctx, ler)
	r.note(&ler, err)
	return err
}

// Update notes a term, or a release.
func (r *kubeRecord) Update(ctx context.Context, ler resourcelock.LeaderElectionRecord) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	err := r.Interface.Update(ctx, ler)
	r.note(&ler, err)
	return err
}

func (r *kubeRecord) note(ler *resourcelock.LeaderElectionRecord, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ler.HolderIdentity == "":
		r.seen.released, r.seen.failure = err == nil, err
	case r.seen.term > 0:
	case err == nil:
		r.seen.term = kubeTerm(ler)
	case !refusedWrite(err):
		r.seen.doubt = err
	}
}

// refusedWrite reports whether an API server has said that it wrote nothing.
func refusedWrite(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) ||
		apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
}
