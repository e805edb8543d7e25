package locks

import (
	"context"
	"strings"
)

// scopeEnd separates a prefix from the name of a lock.
const scopeEnd = "\x00"

// Within returns a locker that puts all keys of its locks below a prefix, so that it does not
// touch the keys of other programs in a shared service. The locker must make its keys with
// Key.
func Within(prefix string, l Locker) Locker {
	if prefix == "" {
		return l
	}
	s := &scoped{prefix + scopeEnd, l}
	switch l := l.(type) {
	case Sharer:
		return &scopedSharer{s, l}
	case Permitter:
		return &scopedPermitter{s, l}
	case Latch:
		return &scopedLatch{s, l}
	case Barrier:
		return &scopedBarrier{s, l}
	case Elector:
		return &scopedElector{s, l}
	}
	if t, ok := l.(Trier); ok {
		return &scopedTrier{s, t}
	}
	return s
}

// ProbeWithin returns a prober of the locks that Within makes.
func ProbeWithin(prefix string, p Prober) Prober {
	if prefix == "" || p == nil {
		return p
	}
	return &scopedProber{prefix + scopeEnd, p}
}

// Key returns a key of a lock: kind and name, below the prefix if the name has one. "lock:" and
// "a" make "lock:a", or "mine:lock:a" within "mine:".
func Key(kind, name string) string {
	prefix, bare := SplitName(name)
	return prefix + kind + bare
}

// SplitName splits a name into the prefix of Within, "" if there is none, and the bare name of the
// lock.
func SplitName(name string) (prefix, bare string) {
	prefix, bare, ok := strings.Cut(name, scopeEnd)
	if !ok {
		return "", name
	}
	return prefix, bare
}

// A scoped is a client whose lock names get a prefix. The following types add the optional
// interfaces of a client, because a wrapper with all methods would claim capabilities that the
// client lacks.
type scoped struct {
	prefix string
	Locker
}

type scopedTrier struct {
	*scoped
	trier Trier
}

type scopedSharer struct {
	*scoped
	sharer Sharer
}

type scopedPermitter struct {
	*scoped
	permitter Permitter
}

type scopedLatch struct {
	*scoped
	latch Latch
}

type scopedBarrier struct {
	*scoped
	barrier Barrier
}

type scopedElector struct {
	*scoped
	elector Elector
}

type scopedProber struct {
	prefix string
	Prober
}

var _ Trier = (*scopedTrier)(nil)

// Acquire acquires the lock below the prefix.
func (s *scoped) Acquire(ctx context.Context, name string) (Lease, error) {
	return s.Locker.Acquire(ctx, s.prefix+name)
}

// TryAcquire tries the lock below the prefix.
func (s *scopedTrier) TryAcquire(ctx context.Context, name string) (Lease, error) {
	return s.trier.TryAcquire(ctx, s.prefix+name)
}

// AcquireShared acquires the lock below the prefix as a reader.
func (s *scopedSharer) AcquireShared(ctx context.Context, name string) (Lease, error) {
	return s.sharer.AcquireShared(ctx, s.prefix+name)
}

// AcquirePermits takes permits of the semaphore below the prefix.
func (s *scopedPermitter) AcquirePermits(ctx context.Context, name string, n, capacity int) (Lease, error) {
	return s.permitter.AcquirePermits(ctx, s.prefix+name, n, capacity)
}

// SetCount creates a latch below the prefix.
func (s *scopedLatch) SetCount(ctx context.Context, name string, count int) error {
	return s.latch.SetCount(ctx, s.prefix+name, count)
}

// CountDown counts a party down at the latch below the prefix.
func (s *scopedLatch) CountDown(ctx context.Context, name, party string) error {
	return s.latch.CountDown(ctx, s.prefix+name, party)
}

// Await waits for the latch below the prefix.
func (s *scopedLatch) Await(ctx context.Context, name string) error {
	return s.latch.Await(ctx, s.prefix+name)
}

// Enter enters the barrier below the prefix.
func (s *scopedBarrier) Enter(ctx context.Context, name string, parties int) (Lease, error) {
	return s.barrier.Enter(ctx, s.prefix+name, parties)
}

// Campaign campaigns in the election below the prefix.
func (s *scopedElector) Campaign(ctx context.Context, name, value string) (Lease, error) {
	return s.elector.Campaign(ctx, s.prefix+name, value)
}

// Leader queries the leader below the prefix.
func (s *scopedElector) Leader(ctx context.Context, name string) (string, uint64, error) {
	return Leader(ctx, s.Locker, s.prefix+name)
}

// Probe inspects the lock below the prefix.
func (s *scopedProber) Probe(ctx context.Context, name string) ([]Sight, error) {
	return s.Prober.Probe(ctx, s.prefix+name)
}
