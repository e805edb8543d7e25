package mutants

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/rpc"
	"sync"
	"time"

	"locktorture/locks"
)

// ReconnectForgets: a client whose session was ended begins a new one, and tells nobody that
// what it held is gone.
const ReconnectForgets Switch = "reconnect-forgets"

// patience is how long the answer to a cancel is waited for.
const patience = 2 * time.Second

// A Queue is a client of a QueueServer. Its twin is never wrong: a lease ends with its
// connection, and where sessions end by themselves, the client is told.
type Queue struct {
	cfg     Config
	session bool // sessions end by themselves

	mu     sync.Mutex
	now    *queueConn // nil: not connected
	closed bool
}

var (
	_ locks.Locker = (*Queue)(nil)
	_ locks.Trier  = (*Queue)(nil)
	_ locks.Prober = (*QueueProbe)(nil)
)

// NewQueue returns a client whose sessions last as long as its connections; it connects when
// it is first used.
func NewQueue(c Config) *Queue { return &Queue{cfg: c.withDefaults()} }

// NewSession returns a client whose sessions end when it is not heard for one TTL; it connects
// when it is first used.
func NewSession(c Config) *Queue { return &Queue{cfg: c.withDefaults(), session: true} }

// QueueTraits returns the traits of NewQueue.
func QueueTraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "queue", Token: true, Validity: "connection", Model: "fenced",
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
		Clock:      "none",
	}
}

// SessionTraits returns the traits of NewSession.
func SessionTraits() locks.Traits {
	t := QueueTraits()
	t.Renews, t.Watched, t.Validity, t.LeastTTL = true, true, "session", 300*time.Millisecond
	t.FreeWithin = func(ttl time.Duration) time.Duration { return ttl + 100*time.Millisecond }
	t.Clock = "the server's monotonic clock"
	return t
}

// A queueConn is one connection and its session.
type queueConn struct {
	*rpc.Client
	over chan struct{} // closed when the session is known to be over
	lost chan struct{} // closed when those who hold something are told so
}

// connect returns the present session, or begins one.
func (q *Queue) connect(ctx context.Context) (*queueConn, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, fmt.Errorf("%w: closed", locks.ErrNotAcquired)
	}
	if q.now != nil {
		select {
		case <-q.now.over:
		default:
			return q.now, nil
		}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", q.cfg.Addrs[0])
	if err != nil {
		return nil, fmt.Errorf("%w: connect: %w", locks.ErrNotAcquired, err) // nothing was asked
	}
	q.now = &queueConn{Client: rpc.NewClient(conn), over: make(chan struct{}), lost: make(chan struct{})}
	go q.follow(q.now)
	if q.session {
		go q.ping(q.now)
	}
	return q.now, nil
}

// follow waits for the end of a session.
func (q *Queue) follow(c *queueConn) {
	_ = c.Call("Queue.Watch", QueueCall{}, &QueueReply{})
	c.Close()
	close(c.over)
	if !q.cfg.does(ReconnectForgets) {
		close(c.lost)
	}
}

// ping keeps a session alive.
func (q *Queue) ping(c *queueConn) {
	tick := time.NewTicker(q.cfg.TTL / 5)
	defer tick.Stop()
	for {
		c.Go("Queue.Ping", QueueCall{Session: q.cfg.TTL}, &QueueReply{}, make(chan *rpc.Call, 1))
		select {
		case <-tick.C:
		case <-c.over:
			return
		}
	}
}

// Close drops the connection.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.now == nil {
		return nil
	}
	return q.now.Close()
}

// Acquire waits in the queue.
func (q *Queue) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.take(ctx, QueueCall{Name: name})
}

// TryAcquire does not wait.
func (q *Queue) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.take(ctx, QueueCall{Name: name, Try: true})
}

func (q *Queue) take(ctx context.Context, call QueueCall) (locks.Lease, error) {
	c, err := q.connect(ctx)
	if err != nil {
		return nil, err
	}
	call.Owner = cmp.Or(call.Owner, q.cfg.Owner+":"+unique())
	asked := c.Go("Queue.Acquire", call, &QueueReply{}, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
	case <-ctx.Done():
		if err := q.cancel(c, call, asked); err != nil {
			return nil, err
		}
	}
	switch {
	case asked.Error == rpc.ServerError(errSessionOver.Error()):
		c.Close() // whether it was told or not: the next call begins a session
		<-c.over
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, errSessionOver)
	case asked.Error != nil:
		return nil, fmt.Errorf("acquire: %w", asked.Error)
	case asked.Reply.(*QueueReply).Token == 0:
		return nil, errTaken
	}
	l := &queueLease{conn: c, call: call, token: asked.Reply.(*QueueReply).Token}
	if q.session {
		return &sessionLease{l}, nil
	}
	return l, nil
}

// cancel gives a request up and waits for its answer, which may be a grant. Where none comes
// the connection is given up as well, and the outcome is unknown.
func (q *Queue) cancel(c *queueConn, call QueueCall, asked *rpc.Call) error {
	c.Go("Queue.Cancel", call, &QueueReply{}, make(chan *rpc.Call, 1))
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-asked.Done:
		return nil
	case <-t.C:
		c.Close()
		return fmt.Errorf("cancel was not answered")
	}
}

// A queueLease belongs to the connection over which it was granted.
type queueLease struct {
	conn  *queueConn
	call  QueueCall
	token uint64
}

var (
	_ locks.Fenced  = (*queueLease)(nil)
	_ locks.Owned   = (*queueLease)(nil)
	_ locks.Watched = (*sessionLease)(nil)
)

// Token grows from grant to grant of the server.
func (l *queueLease) Token() uint64 { return l.token }

// Owner returns the owner value on the server.
func (l *queueLease) Owner() string { return l.call.Owner }

// Release hands the lock to the next in the queue.
func (l *queueLease) Release(ctx context.Context) error {
	r := &QueueReply{}
	asked := l.conn.Go("Queue.Release", l.call, r, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
	case <-ctx.Done():
		return fmt.Errorf("release: %w", ctx.Err())
	}
	switch {
	case asked.Error == rpc.ErrShutdown:
		return fmt.Errorf("%w: the session is over", locks.ErrNotHeld)
	case asked.Error != nil:
		return fmt.Errorf("release: %w", asked.Error)
	case r.Token == 0:
		return locks.ErrNotHeld
	}
	return nil
}

// A sessionLease tells that its session is over.
type sessionLease struct{ *queueLease }

// Lost returns a channel that is closed when the session is over.
func (l *sessionLease) Lost() <-chan struct{} { return l.conn.lost }
