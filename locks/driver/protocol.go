// Package driver runs any locks.Locker in a process of its own. Serve is the driver's side,
// Client the harness's side. They exchange one JSON object per line over the driver's stdin and
// stdout, so that a lock written in another language can take part (docs/driver-protocol.md).
//
// A pause is real only in a process of its own: SIGSTOP stops the lock's watchdog, its
// keep-alives and its sockets together, which a sleep in the calling goroutine does not.
package driver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
	"unicode/utf8"

	"locktorture/internal/wire"
	"locktorture/locks"
)

// The operations of a request.
const (
	opOpen    = "open"
	opAcquire = "acquire"
	opTry     = "try"
	opRelease = "release"
	opRenew   = "renew"
	opAsk     = "ask"
	opLeader  = "leader"

	opUpgrade   = "upgrade"
	opDowngrade = "downgrade"

	opCancel  = "cancel"
	opClock   = "clock"
	opCollect = "collect"
	opClose   = "close"

	opSetCount  = "set-count"
	opCountDown = "count-down"
	opAwait     = "await"
)

// The modes of an acquire. A lock that does not declare the matching kind never gets a mode,
// because a driver that ignores the unknown field would grant the whole lock.
const (
	modeShared   = "shared"
	modePermits  = "permits"
	modeParty    = "party"
	modeCampaign = "campaign"
)

// eventLost is the only message that a driver sends without a request.
const eventLost = "lost"

// The classes of an error. Any other class means an unknown outcome: the request may have been
// carried out.
const (
	classNotAcquired = "not-acquired"
	classNotHeld     = "not-held"
	classUnsupported = "unsupported"
	classUnknown     = "unknown"
)

// Version is the version of the protocol that this package speaks. A driver
// that declares a later one is refused.
const Version = 1

// maxLine is the longest line, in bytes, that either side accepts.
const maxLine = 1 << 20

// These limits bound the texts of a driver, in bytes, because a file stores them for every
// grant and every error. A longer message is cut. A longer owner or trait is refused, because
// a cut one would be a different value.
const (
	maxMessage = 2 << 10
	maxOwner   = 1 << 10
	maxTrait   = 1 << 10
)

// An Open describes the lock that a driver must open, and its servers.
type Open struct {
	Backend string `json:"backend,omitempty"`
	// Endpoints lists the host:port of the servers, as this client dials them.
	Endpoints []string `json:"endpoints,omitempty"`
	// TTL is the TTL of leases in ns. 0 means the lock's default.
	TTL time.Duration `json:"ttl,omitempty"`
	// Client is the number of the client, from 1.
	Client int `json:"client,omitempty"`
	// Process is the process number. Every successor of a client has a new one.
	Process int `json:"process"`
	// Options are the options of the backend.
	Options map[string]string `json:"options,omitempty"`
	// Version is the version of the protocol, which Start sets.
	Version int `json:"version,omitempty"`
	// Access and Prefix are for servers that are shared with other programs. Only locks of this
	// repository use them.
	Access *locks.Access `json:"access,omitempty"`
	Prefix string        `json:"prefix,omitempty"`
	// As is the prefix of every owner value. "" means a prefix that names the process number.
	// Only locks of this repository use it.
	As string `json:"as,omitempty"`
	// HostClock reports that faults move the wall clock of the driver's process from outside. A
	// clock request then only checks that the process sees the offset.
	HostClock bool `json:"host_clock,omitempty"`
}

// Owner returns the prefix of every owner value of this process: "p7" for process 7.
func (o Open) Owner() string { return cmp.Or(o.As, wire.Owner(o.Process)) }

// Dial connects to one of the Endpoints. In a simulation there is no other way to connect. Client
// libraries accept it as their dialer: Options{Dialer: o.Dial} of go-redis.
func (o Open) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return o.Access.Dial(ctx, network, addr)
}

// A request is a message to the driver.
type request struct {
	// ID identifies the request in its reply, from 1. A cancel has none.
	ID int64  `json:"id,omitempty"`
	Op string `json:"op"`

	// Open describes the lock to open. It is nil in all requests but open.
	Open *Open `json:"open,omitempty"`
	// Lock is the name of the lock, in acquire, try, leader and the requests of latches.
	Lock string `json:"lock,omitempty"`
	// Mode is the mode of an acquire: modeShared, modePermits, modeParty, modeCampaign, or "" for
	// the whole lock.
	Mode string `json:"mode,omitempty"`
	// Permits is the number of permits in modePermits.
	Permits  int `json:"permits,omitempty"`
	Capacity int `json:"capacity,omitempty"`
	// Parties is the number of parties in modeParty and in set-count.
	Parties int `json:"parties,omitempty"`
	// Party is the party of a count-down.
	Party string `json:"party,omitempty"`
	// Value is the candidate's value in modeCampaign.
	Value string `json:"value,omitempty"`
	// Timeout is the time in ns until the caller stops waiting. 0 means no limit.
	Timeout int64 `json:"timeout,omitempty"`
	// Lease is the lease of release, renew, upgrade, downgrade and ask.
	Lease int64 `json:"lease,omitempty"`
	// Target is the id of the request that a cancel ends.
	Target int64 `json:"target,omitempty"`
	// Offset is the offset of the clock in ns, in clock.
	Offset int64 `json:"offset,omitempty"`
	// Least is the shortest stop, in ns, that satisfies a collect.
	Least int64 `json:"least,omitempty"`
}

// A reply is a message from the driver: the answer to the request with the same id, or an event
// if it has no id.
type reply struct {
	ID    int64  `json:"id,omitempty"`
	Event string `json:"event,omitempty"`

	// Error is the class of the error. "" means success.
	Error string `json:"error,omitempty"`
	// Message is the text of the error, for people.
	Message string `json:"message,omitempty"`

	// Try reports that the lock supports TryAcquire, in the reply to open.
	Try bool `json:"try,omitempty"`
	// Version is the version of the protocol, in the reply to open. If it is missing, the version
	// is 1.
	Version int `json:"version,omitempty"`
	// Traits is a Declared, in the reply to open.
	Traits json.RawMessage `json:"traits,omitempty"`
	// Lease is the number of the lease, in a grant or an event.
	Lease int64 `json:"lease,omitempty"`
	// Token is the fencing token of a grant, or the term of a leader.
	Token uint64 `json:"token,omitempty"`
	// Value is the value of a leader.
	Value string `json:"value,omitempty"`
	// Owner is the owner value of a grant.
	Owner string `json:"owner,omitempty"`
	// Remaining is the remaining validity in ns, in an ask and a grant. If it is missing, the lock
	// declares no end.
	Remaining *int64 `json:"remaining,omitempty"`
	// Mono is the time of an event in ns of CLOCK_MONOTONIC.
	Mono int64 `json:"mono,omitempty"`
	// Took is the length of the stop in ns, in the reply to collect.
	Took int64 `json:"took,omitempty"`
}

// fail sets the class and the message of an error; nil leaves the reply a success.
func (r *reply) fail(err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, locks.ErrNotAcquired):
		r.Error = classNotAcquired
	case errors.Is(err, locks.ErrNotHeld):
		r.Error = classNotHeld
	case errors.Is(err, errors.ErrUnsupported):
		r.Error = classUnsupported
	default:
		r.Error = classUnknown
	}
	r.Message = cut(err.Error(), maxMessage)
}

// bound cuts the texts that people read, and refuses values that are too long to be stored.
func (r *reply) bound() error {
	if len(r.Owner) > maxOwner {
		return fmt.Errorf("an owner of %d bytes, at most %d are taken", len(r.Owner), maxOwner)
	}
	if len(r.Value) > maxOwner {
		return fmt.Errorf("a leader's value of %d bytes, at most %d are taken", len(r.Value), maxOwner)
	}
	r.Message, r.Error = cut(r.Message, maxMessage), cut(r.Error, maxMessage)
	return nil
}

// cut shortens a text to at most limit bytes, at a character boundary.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	const more = "…"
	end := limit - len(more)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more
}

// err returns the error that a reply carries, nil for success. Only the three known classes
// wrap a sentinel, so that an unknown class is never taken for a certain outcome.
func (r *reply) err() error {
	switch r.Error {
	case "":
		return nil
	case classNotAcquired:
		return &remoteError{r.Message, locks.ErrNotAcquired}
	case classNotHeld:
		return &remoteError{r.Message, locks.ErrNotHeld}
	case classUnsupported:
		return &remoteError{r.Message, errors.ErrUnsupported}
	case classUnknown:
		return &remoteError{r.Message, nil}
	}
	return &remoteError{fmt.Sprintf("%s (class %q)", r.Message, r.Error), nil}
}

// A remoteError has the message of an error in the other process and the sentinel of its class.
type remoteError struct {
	message string
	class   error
}

// Error returns the driver's message, or the text of the class if the driver sent no message.
func (e *remoteError) Error() string {
	if e.message == "" && e.class != nil {
		return e.class.Error()
	}
	return e.message
}

func (e *remoteError) Unwrap() error { return e.class }
