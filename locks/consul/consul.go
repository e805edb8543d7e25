// Package consul holds a lock on Consul, over its HTTP interface.
//
// A lock named N is the key "lock/N", which belongs to the session that has
// acquired it; its value is the owner. Owner values begin with Config.Owner and
// are unique to one grant.
package consul

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config says where the servers are and how a client uses them. Only
// Endpoints is needed.
type Config struct {
	Endpoints []string // host:port of every agent
	// TTL of a session, within what the servers allow (session_ttl_min). They end it
	// after up to twice that. Default 2 s.
	TTL time.Duration
	// LockDelay is how long a lock whose session ended unreleased stays refused to everybody.
	// Default TTL.
	LockDelay time.Duration
	Owner     string // begins every owner value
	// Timeout is how long the answer to one request is waited for before it
	// is asked again, of another agent. Default TTL/2.
	Timeout time.Duration
	// Grace is how long the request under way is waited for when the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	Access *locks.Access // its password is the token; nil: the agents are open to everybody
	// Session is what sessions are called. Default "torture".
	Session string
	Clock   locks.Clock // default: the host's
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.LockDelay = attempt.OrElse(c.LockDelay, c.TTL)
	c.Timeout = attempt.OrElse(c.Timeout, c.TTL/2)
	c.Grace = attempt.OrElse(c.Grace, 500*time.Millisecond)
	c.Clock = attempt.ClockOr(c.Clock)
	if c.Session == "" {
		c.Session = "torture"
	}
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// An agent is one client's connections. It stays with one of the endpoints
// until a request to it fails.
type agent struct {
	cfg  Config
	http *http.Client
	next atomic.Uint64 // index of the endpoint, counted on
}

func newAgent(cfg Config) *agent {
	cfg = cfg.withDefaults()
	return &agent{cfg: cfg, http: &http.Client{Transport: &http.Transport{
		DialContext: cfg.Dial, MaxIdleConnsPerHost: 16, DisableCompression: true,
	}}}
}

// owner makes an owner value that nobody ever used.
func (a *agent) owner() string { return attempt.Owner(a.cfg.Owner) }

// keyOf is the path of a lock's key.
func keyOf(name string) string {
	prefix, bare := locks.SplitName(name)
	return prefix + "lock/" + url.PathEscape(bare)
}

// graced returns a context that outlives the caller's by the grace.
func (a *agent) graced(ctx context.Context) (context.Context, context.CancelFunc) {
	return attempt.Graced(ctx, a.cfg.Clock, a.cfg.Grace)
}

// pause waits for d or until ctx is done.
func (a *agent) pause(ctx context.Context, d time.Duration) { attempt.Wait(ctx.Done(), a.cfg.Clock, d) }

// retry is the pause after a request that did not get through, and between two
// tries while a lock-delay is in force.
const retry = 20 * time.Millisecond
