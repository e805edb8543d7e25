package zookeeper

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// errOver is the error of requests on a session that is over.
var errOver = errors.New("session is over")

// A session is the client's view of a ZooKeeper session. It is over when the server says so,
// and also when no answer has arrived for so long that the server may have ended it: a client
// that is cut off must not rely on the session for longer.
type session struct {
	conn  *zk.Conn
	pipe  *pipe
	clock locks.Clock
	ttl   time.Duration

	// ready is closed when the servers have opened the session.
	ready   chan struct{}
	isReady sync.Once
	over    chan struct{}
	ended   sync.Once

	mu    sync.Mutex
	heard time.Time // time of the latest request that was answered
	// held is nil when the session is over.
	held map[*grant]bool
}

// openSession connects, and returns once the servers have opened a session.
func openSession(ctx context.Context, cfg Config) (*session, error) {
	s := &session{
		clock: cfg.Clock, ttl: cfg.TTL, heard: cfg.Clock.Now(),
		ready: make(chan struct{}), over: make(chan struct{}), held: map[*grant]bool{},
	}
	s.pipe = newPipe(cfg, s.over)
	conn, _, err := zk.Connect(cfg.Endpoints, cfg.TTL, zk.WithDialer(s.pipe.dial), zk.WithHostProvider(&hosts{over: s.over, rand: cfg.Rand}),
		zk.WithEventCallback(s.event), zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		return nil, err
	}
	s.conn = conn
	select {
	case <-s.ready:
	case <-ctx.Done():
		s.end()
		return nil, ctx.Err()
	}
	if err := s.pipe.check(); err != nil {
		s.end()
		return nil, err
	}
	if err := s.login(ctx, cfg.Access); err != nil {
		s.end()
		return nil, err
	}
	go s.beat()
	go s.guard()
	return s, nil
}

// login sends user and password, if there are any. The library repeats that whenever it connects.
func (s *session) login(ctx context.Context, access *locks.Access) error {
	user, password := access.Login()
	if user == "" {
		return nil
	}
	_, err := call(ctx, s, func() (struct{}, error) {
		return struct{}{}, s.conn.AddAuth("digest", []byte(user+":"+password))
	})
	return err
}

// event handles an event of the library, which waits for it to return.
func (s *session) event(e zk.Event) {
	switch {
	case e.Type != zk.EventSession:
	case e.State == zk.StateHasSession:
		s.isReady.Do(func() { close(s.ready) })
	case e.State == zk.StateExpired:
		// The library would continue with another session, in which the requests of this one make
		// no sense. It is not certain that the nodes of this session are gone: a leader reports the
		// expiry before it is committed, and may fall before that.
		s.end()
	}
}

// beat sends syncs, which only the leader answers. The leader ends sessions; a follower that has
// lost its leader still answers reads for a while.
func (s *session) beat() {
	for !s.Over() {
		start := s.clock.Now()
		if _, err := s.conn.Sync("/"); err == nil {
			s.mu.Lock()
			s.heard = start
			s.mu.Unlock()
			s.check()
			s.wait(s.ttl / 4)
			continue
		}
		s.wait(retry)
	}
}

// check confirms the nodes of all grants, because another client may remove one.
func (s *session) check() {
	s.mu.Lock()
	held := slices.Collect(maps.Keys(s.held))
	s.mu.Unlock()
	for _, g := range held {
		_, _ = g.confirm(context.Background()) // ends with the session; confirm reports a loss itself
	}
}

// hold registers a grant, which is lost with the session.
func (s *session) hold(g *grant) {
	s.mu.Lock()
	over := s.held == nil
	if !over {
		s.held[g] = true
	}
	s.mu.Unlock()
	if over {
		g.Lose()
	}
}

// drop removes a grant.
func (s *session) drop(g *grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, g)
}

// guard ends the session a little before the servers may end it, because their clock ticks are not
// the client's.
func (s *session) guard() {
	for !s.Over() {
		s.mu.Lock()
		left := s.heard.Add(s.ttl * 9 / 10).Sub(s.clock.Now())
		s.mu.Unlock()
		if left <= 0 {
			s.end()
			return
		}
		s.wait(left)
	}
}

// retry is the pause after a request that did not get through.
const retry = 10 * time.Millisecond

// wait waits for d or the end of the session.
func (s *session) wait(d time.Duration) { attempt.Wait(s.over, s.clock, d) }

// Over reports whether the session is over.
func (s *session) Over() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// end ends the session. Its nodes disappear at once if a server can be reached, otherwise when the
// timeout is over.
func (s *session) end() {
	s.ended.Do(func() {
		close(s.over)
		s.mu.Lock()
		held := s.held
		s.held = nil
		s.mu.Unlock()
		for g := range held {
			g.Lose()
		}
		if s.conn != nil {
			go s.conn.Close()
		}
	})
}

// crash ends the session without notifying the servers.
func (s *session) crash() {
	s.pipe.cut()
	s.end()
}

// call runs a request of the library, which supports no contexts.
func call[T any](ctx context.Context, s *session, request func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := request()
		done <- result{v, err}
	}()
	var none T
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-s.over:
		return none, errOver
	}
}

// silent is a logger that drops everything, because the library also returns its errors.
type silent struct{}

func (silent) Printf(string, ...any) {}
