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

// ReconnectForgets makes a client whose session was ended begin a new one without reporting the
// loss of its leases.
const ReconnectForgets Switch = "reconnect-forgets"

// patience is the time for which a client waits for the answer to a cancel.
const patience = 2 * time.Second

// A Queue is a client of a QueueServer. Its twin is correct: a lease ends with its connection, and
// a client is notified if its session ends by itself.
type Queue struct {
	cfg Config
	// session reports that sessions can end without their connection.
	session bool

	mu sync.Mutex
	// now is the current connection, or nil if there is none.
	now    *queueConn
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

// NewSession returns a client whose sessions end when the server has not heard from it for one TTL;
// it connects when it is first used.
func NewSession(c Config) *Queue { return &Queue{cfg: c.withDefaults(), session: true} }

// QueueTraits returns the traits of the lock that NewQueue makes.
func QueueTraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "queue", Token: true, Validity: "connection", Model: "fenced",
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
		Clock:      "none",
	}
}

// SessionTraits returns the traits of the lock that NewSession makes.
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
	// over is closed when the session is known to be over.
	over chan struct{}
	// lost is closed when the holders under the session are notified.
	lost chan struct{}
}

// connect returns the present session, or begins a new one.
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
		return nil, fmt.Errorf("%w: connect: %w", locks.ErrNotAcquired, err) // nothing was sent
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

// TryAcquire asks without waiting.
func (q *Queue) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.take(ctx, QueueCall{Name: name, Try: true})
}

// take sends a request and waits for the grant. If ctx ends first, it withdraws the request.
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
		c.Close() // whether or not it was notified, the next call begins a new session
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

// cancel cancels a request and waits for its answer, which may be a grant. If no answer comes, it
// closes the connection, and the outcome is unknown.
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

// Token returns a number that grows from grant to grant of the server.
func (l *queueLease) Token() uint64 { return l.token }

// Owner returns the owner value on the server.
func (l *queueLease) Owner() string { return l.call.Owner }

// Release hands the lock to the next request in the queue.
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

// A sessionLease reports the end of its session.
type sessionLease struct{ *queueLease }

// Lost returns a channel that is closed when the session is over.
func (l *sessionLease) Lost() <-chan struct{} { return l.conn.lost }
