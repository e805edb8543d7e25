// Package driver runs any locks.Locker in a process of its own. Serve is the
// side of that process, Client the side of the harness; they exchange one
// JSON object a line over the process's stdin and stdout, so that a lock
// written in another language can take part (docs/driver-protocol.md).
//
// A process of its own is what makes a pause real: SIGSTOP stops the lock's
// watchdog, its keep-alives and the reading of its sockets together, which a
// sleep in the calling goroutine does not.
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

// What an acquire asks for. A lock that does not declare such a kind is never asked for it,
// because a driver that does not know the field would grant the whole lock.
const (
	modeShared   = "shared"
	modePermits  = "permits"
	modeParty    = "party"
	modeCampaign = "campaign"
)

// eventLost is the only unasked message of a driver.
const eventLost = "lost"

// The classes of an error. Every other error is unknown: it may have happened.
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

// What a driver says ends in a file for every grant and every error, so that its texts have
// bounds, in bytes: a message is cut there, and a longer owner or trait is refused, because it
// would be another one.
const (
	maxMessage = 2 << 10
	maxOwner   = 1 << 10
	maxTrait   = 1 << 10
)

// An Open tells a driver which lock to make and where its servers are.
type Open struct {
	Backend   string            `json:"backend,omitempty"`
	Endpoints []string          `json:"endpoints,omitempty"` // host:port, as this client dials them
	TTL       time.Duration     `json:"ttl,omitempty"`       // ns; 0: the lock's default
	Client    int               `json:"client,omitempty"`    // from 1
	Process   int               `json:"process"`             // new for each successor of a client
	Options   map[string]string `json:"options,omitempty"`   // of the backend
	Version   int               `json:"version,omitempty"`   // of the protocol; Start fills it in
	// Access and Prefix are of servers that others use too, and only for the locks of this
	// repository.
	Access *locks.Access `json:"access,omitempty"`
	Prefix string        `json:"prefix,omitempty"`
	// As begins every owner value, where the number of the process does not; only for the locks
	// of this repository.
	As string `json:"as,omitempty"`
	// HostClock: whoever has started the driver moves the wall clock of its process, and a
	// clock request asks only whether the process sees that.
	HostClock bool `json:"host_clock,omitempty"`
}

// Owner is the beginning of every owner value of this process on a server:
// "p7" for process 7.
func (o Open) Owner() string { return cmp.Or(o.As, wire.Owner(o.Process)) }

// Dial connects to one of the Endpoints, in a simulation too, where nothing else does. It is
// what client libraries call a dialer: Options{Dialer: o.Dial} of go-redis.
func (o Open) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return o.Access.Dial(ctx, network, addr)
}

// A request goes to the driver.
type request struct {
	ID int64  `json:"id,omitempty"` // from 1; a cancel has none
	Op string `json:"op"`

	Open     *Open  `json:"open,omitempty"`    // of open
	Lock     string `json:"lock,omitempty"`    // of acquire, try, leader, and of what latches do
	Mode     string `json:"mode,omitempty"`    // of acquire: modeShared, modePermits, modeParty, modeCampaign; "": the whole lock
	Permits  int    `json:"permits,omitempty"` // of modePermits
	Capacity int    `json:"capacity,omitempty"`
	Parties  int    `json:"parties,omitempty"` // of modeParty, of set-count
	Party    string `json:"party,omitempty"`   // of count-down
	Value    string `json:"value,omitempty"`   // of modeCampaign
	Timeout  int64  `json:"timeout,omitempty"` // ns, of every call; 0: none
	Lease    int64  `json:"lease,omitempty"`   // of release, renew, upgrade, downgrade, ask
	Target   int64  `json:"target,omitempty"`  // of cancel: the id of a request
	Offset   int64  `json:"offset,omitempty"`  // ns, of clock
	Least    int64  `json:"least,omitempty"`   // ns, of collect
}

// A reply comes from the driver: the answer to the request of that id, or an
// event if it has no id.
type reply struct {
	ID    int64  `json:"id,omitempty"`
	Event string `json:"event,omitempty"`

	Error   string `json:"error,omitempty"`   // class; "" is success
	Message string `json:"message,omitempty"` // of an error, for people

	Try       bool            `json:"try,omitempty"`       // of open: the lock can be asked without waiting
	Version   int             `json:"version,omitempty"`   // of open: of the protocol; missing: 1
	Traits    json.RawMessage `json:"traits,omitempty"`    // of open: a Declared
	Lease     int64           `json:"lease,omitempty"`     // of a grant or an event
	Token     uint64          `json:"token,omitempty"`     // of a grant and a leader
	Value     string          `json:"value,omitempty"`     // of a leader
	Owner     string          `json:"owner,omitempty"`     // of a grant
	Remaining *int64          `json:"remaining,omitempty"` // ns, of an ask and a grant; missing: no declared end
	Mono      int64           `json:"mono,omitempty"`      // ns of CLOCK_MONOTONIC, of an event
	Took      int64           `json:"took,omitempty"`      // ns, of a collect: for which the world was stopped
}

// fail fills in the class and the message of an error.
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

// bound cuts what is for people, and refuses what is compared.
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

// cut is the beginning of a text that is too long, in whole characters.
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

// err is the error that a reply carries, nil for success. Only the three known
// classes wrap a sentinel, so that nothing unknown is ever taken for certain.
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

// A remoteError has the message of an error in the other process and the
// sentinel of its class.
type remoteError struct {
	message string
	class   error
}

func (e *remoteError) Error() string {
	if e.message == "" && e.class != nil {
		return e.class.Error()
	}
	return e.message
}

func (e *remoteError) Unwrap() error { return e.class }
