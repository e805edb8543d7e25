package mutants

import (
	"context"
	"fmt"
	"net/rpc"
	"slices"

	"locktorture/locks"
)

// A queueUpgrade is a reader that waits to become the writer.
type queueUpgrade struct {
	holder *queueWaiter
	// done is buffered. It receives whether the reader is the writer now.
	done chan bool
}

// upgrade makes a reader the writer if it is the only holder. The caller holds the server's mu.
func (l *queueLock) upgrade() {
	if len(l.upgrades) > 0 && len(l.holders) == 1 && l.holders[0] == l.upgrades[0].holder {
		l.holders[0].shared = false
		l.upgrades[0].done <- true
		l.upgrades = l.upgrades[1:]
	}
}

// giveUp cancels the upgrade of an owner, if there is one. The caller holds the server's mu.
func (l *queueLock) giveUp(owner string) bool {
	i := slices.IndexFunc(l.upgrades, func(u *queueUpgrade) bool { return u.holder.owner == owner })
	if i < 0 {
		return false
	}
	l.upgrades[i].done <- false
	l.upgrades = slices.Delete(l.upgrades, i, i+1)
	return true
}

// Upgrade answers when the reader has become the writer or is refused. Token 0 reports that
// the lock was not held.
func (q *QueueCalls) Upgrade(a QueueCall, r *QueueReply) error {
	c, s := q.session, q.session.server
	s.mu.Lock()
	l := s.lock(a.Name)
	i := slices.IndexFunc(l.holders, func(w *queueWaiter) bool { return w.owner == a.Owner })
	if i < 0 {
		s.mu.Unlock()
		return nil
	}
	w := l.holders[i]
	if r.Token = w.token; len(l.upgrades) > 0 && !s.cfg.does(UpgradersWait) {
		r.Refused = true
		s.mu.Unlock()
		return nil
	}
	if s.cfg.does(UpgradeLetsGo) {
		l.holders = slices.Delete(l.holders, i, i+1)
		w.shared, w.granted, w.gone = false, make(chan struct{}), make(chan struct{})
		l.queue = append(l.queue, w)
		s.next(l)
		s.mu.Unlock()
		r.Refused = !w.served(c)
		return nil
	}
	u := &queueUpgrade{w, make(chan bool, 1)}
	l.upgrades = append(l.upgrades, u)
	l.upgrade()
	s.mu.Unlock()
	select {
	case ok := <-u.done:
		r.Refused = !ok
	case <-c.cut:
	}
	return nil
}

// served waits for the end of a request and reports whether it was granted.
func (w *queueWaiter) served(c *queueSession) bool {
	select {
	case <-w.granted:
		return true
	case <-w.gone:
	case <-c.cut:
	}
	return false
}

// Downgrade turns a writer into a reader; token 0 reports that the lock was not held.
func (q *QueueCalls) Downgrade(a QueueCall, r *QueueReply) error {
	s := q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lock(a.Name)
	if i := slices.IndexFunc(l.holders, func(w *queueWaiter) bool { return w.owner == a.Owner }); i >= 0 {
		r.Token, l.holders[i].shared = l.holders[i].token, true
		s.next(l)
	}
	return nil
}

// A rwQueueLease is the lease of a reader or of a writer, and can change from one to the other.
type rwQueueLease struct {
	*queueLease
	queue *Queue
}

var (
	_ locks.Upgrader   = rwQueueLease{}
	_ locks.Downgrader = rwQueueLease{}
)

// Upgrade waits until there is no other reader.
func (l rwQueueLease) Upgrade(ctx context.Context) error { return l.change(ctx, "Queue.Upgrade") }

// Downgrade turns the writer into a reader, so that other readers can enter.
func (l rwQueueLease) Downgrade(ctx context.Context) error { return l.change(ctx, "Queue.Downgrade") }

// change sends an upgrade or a downgrade and waits for the answer. If ctx ends first, it withdraws
// the request.
func (l rwQueueLease) change(ctx context.Context, method string) error {
	r := &QueueReply{}
	asked := l.conn.Go(method, l.call, r, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
	case <-ctx.Done():
		if err := l.queue.cancel(l.conn, l.call, asked); err != nil {
			return err
		}
	}
	switch {
	case asked.Error == rpc.ErrShutdown:
		return fmt.Errorf("%w: the session is over", locks.ErrNotHeld)
	case asked.Error != nil:
		return fmt.Errorf("%s: %w", method, asked.Error)
	case r.Token == 0:
		return locks.ErrNotHeld
	case r.Refused:
		return fmt.Errorf("%w: another reader is there", locks.ErrNotAcquired)
	}
	return nil
}
