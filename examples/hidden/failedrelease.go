package hidden

import (
	"context"
	"errors"
	"sync"
	"time"

	"locktorture/locks"
)

// failedRelease believes that it still holds a lock whose release has failed, and grants it to
// itself again without a question.
type failedRelease struct {
	base
	mu   sync.Mutex
	mine map[string]string // value by name
}

func (l *failedRelease) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	v := value()
	return waits(ctx, name, func() (locks.Lease, error) {
		from := time.Now()
		if v := l.held(name); v != "" && !l.right {
			return l.lease(name, v, from), nil
		}
		ok, err := l.set(ctx, name, v)
		if !ok || err != nil {
			return nil, err
		}
		return l.lease(name, v, from), nil
	})
}

func (l *failedRelease) lease(name, v string, from time.Time) locks.Lease {
	l.hold(name, v)
	return &lease{from.Add(l.ttl), func(ctx context.Context) error {
		err := l.delete(ctx, name, v)
		if err == nil || errors.Is(err, locks.ErrNotHeld) {
			l.hold(name, "")
		}
		return err
	}}
}

func (l *failedRelease) held(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mine[name]
}

func (l *failedRelease) hold(name, v string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mine[name] = v
}
