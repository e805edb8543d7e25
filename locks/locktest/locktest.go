// Package locktest holds the conformance test that every locks.Locker must pass. It checks
// exclusion, the certainty of reported outcomes, and the truth of the declared traits. The checks
// are functions that return errors, so that they run inside a Go test (Run) as well as outside
// (Check.Run).
//
// It refuses to guess: a check that needs traits or hooks that the Suite lacks is reported as not
// applicable, and a lock that is known to be broken must fail exactly the checks that KnownBroken
// names.
package locktest

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"locktorture/locks"
)

// A Suite is a lock with the environment in which it is tested.
type Suite struct {
	// Open opens a client of the lock; clients count from 1.
	Open   func(ctx context.Context, client int) (locks.Locker, error)
	Traits locks.Traits
	// TTL is the TTL of Open's clients. It must be 1 s or more, so that a busy machine does not
	// exceed it.
	TTL time.Duration

	// The fields below may be nil; the checks that need them are then not applicable.

	// Prober inspects the servers.
	Prober locks.Prober
	// Quorum is the number of nodes whose agreement the lock needs. 0 stands for 1.
	Quorum int
	// Queued returns the number of clients that have come for a lock and still hold or await it.
	Queued func(ctx context.Context, name string) (int, error)
	// Revoke ends the lease of a lock on the servers without its holder's knowledge.
	Revoke func(ctx context.Context, name string) error
	// Cut separates a client from all servers.
	Cut func(client int) error
	// Mute drops the servers' answers to a client and delivers its requests. If it is nil, Cut is
	// used.
	Mute func(client int) error
	// Heal ends Cut, Mute and Slow.
	Heal func(client int) error
	// Slow delays each message by d in both directions.
	Slow func(client int, d time.Duration) error

	// KnownBroken names the checks that the lock must fail, each with the reason.
	KnownBroken map[string]string
}

// A Check is one property of a lock.
type Check struct {
	Name string
	// Lacks returns the reason why the check does not apply to a suite; "" if it does.
	Lacks func(s Suite) string
	run   func(ctx context.Context, b *fixture) error
}

// Checks returns all checks in a useful order: later checks rely on the properties that earlier
// ones test.
func Checks() []Check {
	return append(held([]Check{
		{"exclusion", always, exclusion},
		{"try", always, tryAcquire},
		{"deadline", always, deadline},
		{"hand-over", always, handOver},
		{"cancel", always, cancelled},
		{"release-twice", always, releaseTwice},
		{"release-by-non-holder", endsUnseen, releaseByNonHolder},
		{"owner", func(s Suite) string { return needs(s.Prober != nil, "nobody can look at the servers") }, owner},
		{"until", func(s Suite) string { return needs(s.Traits.Bounded, "its leases declare no validity") }, until},
		{"renewal", func(s Suite) string { return needs(s.Traits.Renews, "it does not renew its leases") }, renewal},
		{"lost", func(s Suite) string {
			return needs(s.Traits.Watched && s.Revoke != nil, "it does not tell a loss, or nobody can cause one")
		}, lost},
		{"tokens", func(s Suite) string { return needs(s.Traits.Token, "it has no tokens") }, tokens},
		{"reentrant", func(s Suite) string { return needs(s.Traits.Reentrant, "its owner may not enter again") }, reentrant},
		{"fair", func(s Suite) string { return needs(s.Traits.Fair, "it grants in no order") }, fair},
		{"readers", func(s Suite) string { return needs(s.Traits.Kind == locks.ReadWrite, "it is no read-write lock") }, readers},
		{"upgrade", func(s Suite) string { return needs(s.Traits.Upgrades, "its readers cannot become writers") }, upgrade},
		{"permits", func(s Suite) string { return needs(s.Traits.Kind == locks.Semaphore, "it is no semaphore") }, permits},
		{"holds", func(s Suite) string {
			return needs(s.Prober != nil && listed(s.Traits), "nobody lists who holds it, or one at a time does")
		}, holds},
		{"election", func(s Suite) string { return needs(s.Traits.Kind == locks.Election, "it is no election") }, election},
		{"crash", func(s Suite) string { return needs(s.Traits.FreeWithin != nil, "it promises nothing after a crash") }, crash},
		{"reconnect", func(s Suite) string { return needs(s.Cut != nil && s.Heal != nil, "nobody can cut its links") }, reconnect},
	}), meetings()...)
}

func always(Suite) string { return "" }

// needs returns the reason to skip a check, or "" if the check can run.
func needs(ok bool, otherwise string) string {
	if ok {
		return ""
	}
	return otherwise
}

// expires reports whether a lease ends by itself although its client lives.
func (s Suite) expires() bool { return s.Traits.Bounded && !s.Traits.Renews }

// endsUnseen applies to locks whose leases can end without their holder's knowledge.
func endsUnseen(s Suite) string {
	return needs(s.expires() || s.Revoke != nil, "its leases end with their release only")
}

// limit returns the time limit of a check, whatever the TTL.
func (s Suite) limit() time.Duration { return 30*time.Second + 10*s.TTL }

// Run runs the check and returns an error that describes the defect of the lock. It makes a check
// again that failed while the machine stalled or the servers did not answer. Use it only if Lacks
// returns "".
func (c Check) Run(ctx context.Context, s Suite) error {
	return again(ctx, stalls, func() bool { return s.away(ctx) }, func() error { return c.once(ctx, s) })
}

// once makes the check once, with a lock and clients of its own.
func (c Check) once(ctx context.Context, s Suite) (err error) {
	b := &fixture{Suite: s, name: "locktest-" + c.Name + "-" + rand.Text()[:8], clients: map[int]locks.Locker{}}
	defer func() {
		if cerr := b.close(); err == nil {
			err = cerr
		}
	}()
	ready, err := b.opened(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit()+openings*ready)
	defer cancel()
	return c.run(ctx, b)
}

// openings is larger than the number of clients in any check.
const openings = 10

// opened opens the first client and returns the time that the opening took. A client may be a
// virtual machine that has to start. On a busy computer the starts of several clients can take
// longer than the check itself, so they do not count.
func (b *fixture) opened(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	ctx, cancel := context.WithCancel(ctx) // ends the opening if it is late; the context may be the client's own for its whole life
	defer time.AfterFunc(b.limit(), cancel).Stop()
	_, err := b.client(ctx, 1)
	return time.Since(begun), err
}

// A fixture is the state of one check.
type fixture struct {
	Suite
	// name is the name of a lock that no other check uses.
	name    string
	clients map[int]locks.Locker
	// wait is for how long a claim is asked for that must be refused. 0: longer and longer, until there
	// is an answer.
	wait time.Duration
}

// client returns a client and opens it at the first call.
func (b *fixture) client(ctx context.Context, n int) (locks.Locker, error) {
	if l := b.clients[n]; l != nil {
		return l, nil
	}
	l, err := b.Open(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("open client %d: %w", n, err)
	}
	b.clients[n] = asLock(b.Traits.Kind, l)
	return b.clients[n], nil
}

// close closes all clients and returns the first error.
func (b *fixture) close() error {
	var first error
	for n, l := range b.clients {
		if err := l.Close(); err != nil && first == nil {
			first = fmt.Errorf("close client %d: %w", n, err)
		}
	}
	return first
}
