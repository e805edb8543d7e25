// Package consul holds a lock on Consul, over its HTTP interface.
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

// A Config holds the addresses of the servers and the settings of a client. Only Endpoints is
// required.
type Config struct {
	// Endpoints lists the host:port of each agent.
	Endpoints []string
	// TTL is the TTL of a session. The servers set the shortest TTL (session_ttl_min). They
	// end a session between one and two TTLs after its last renewal. Default 2 s.
	TTL time.Duration
	// LockDelay is the time for which Consul refuses a lock to every client after its session ended
	// without a release. Default: see DelayOf.
	LockDelay time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string
	// Timeout bounds the wait for the answer to one request, which then goes to another agent.
	// Default TTL/2.
	Timeout time.Duration
	// Grace is the time for which the client still waits for a request in progress once the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	Access *locks.Access // holds the ACL token as its password; nil if the agents require no token
	// Session is the name given to sessions. Default "torture".
	Session string
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
}

// DelayOf returns the lock-delay of a lock with a TTL. From a TTL of 10 s on, the servers may
// have their default settings, which allow no shorter TTL, and the lock-delay is Consul's
// default of 15 s. A shorter TTL needs servers that were tuned for it (session_ttl_min), and
// the lock-delay is the TTL.
func DelayOf(ttl time.Duration) time.Duration {
	const leastTTL, delay = 10 * time.Second, 15 * time.Second
	if ttl >= leastTTL {
		return delay
	}
	return ttl
}

// withDefaults fills in the zero fields.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.LockDelay = attempt.OrElse(c.LockDelay, DelayOf(c.TTL))
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

// An agent holds the connections of one client. It uses one endpoint until a request to it
// fails.
type agent struct {
	cfg  Config
	http *http.Client
	// next selects the endpoint. It grows by one with each failed endpoint, so all requests move on
	// together.
	next atomic.Uint64
}

// newAgent makes the client of the agents. It opens no connection.
func newAgent(cfg Config) *agent {
	cfg = cfg.withDefaults()
	return &agent{cfg: cfg, http: &http.Client{Transport: &http.Transport{
		DialContext: cfg.Dial, MaxIdleConnsPerHost: 16, DisableCompression: true,
	}}}
}

// owner returns an owner value that was never used before.
func (a *agent) owner() string { return attempt.Owner(a.cfg.Owner) }

// keyOf returns the path of a lock's key.
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

// retry is the pause after a request that got no answer, and between two tries while a
// lock-delay is in force.
const retry = 20 * time.Millisecond
