// Package nats is what torture knows of locks in a key-value bucket of NATS JetStream without
// the client library: what they declare, where their records are, and what stands there. The
// locks are the driver in drivers/go/nats.
//
// A lock named N is the key "lock.N" of a bucket that has three replicas: its last message is
// a record in JSON that has the owner, or nothing where nobody has the lock. Each message has
// a number in the bucket's stream, the revision, and is accepted only where the revision
// before it is the one that its sender names. All that the locks rest on is that the servers
// do that as one step, and that they keep what they have acknowledged.
package nats

import (
	"strconv"
	"strings"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// Bucket has all locks, where no other is named.
const Bucket = "locks"

// A Record is what stands at a key.
type Record struct {
	Owner        string `json:"owner"`
	Milliseconds int64  `json:"ttl_ms,omitempty"` // 0: it does not expire
}

// electionTime is how long nats-server takes to find out that a leader is gone, and to elect
// another.
const electionTime = 10 * time.Second

// WholeSeconds returns a TTL as JetStream has it: in whole seconds, at least one; default 30 s.
func WholeSeconds(ttl time.Duration) time.Duration {
	return max(time.Second, (attempt.OrElse(ttl, 30*time.Second) + time.Second - 1).Truncate(time.Second))
}

// Traits returns the traits of the locks.
func Traits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Watched: true, Renews: true, Token: true, Validity: "renewal+TTL",
		LeastTTL: time.Second, Model: "fenced", Clock: "the wall clock of the stream's leader",
		// Expired records are looked for once a second.
		FreeWithin: func(ttl time.Duration) time.Duration { return WholeSeconds(ttl) + 2*time.Second + electionTime },
	}
}

// Subject returns the subject of a lock's key. Keys allow few characters: every other one is
// written as "=" and two hex digits.
func Subject(bucket, name string) string {
	var b strings.Builder
	for _, r := range []byte(locks.Key("lock.", name)) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
			b.WriteByte(r)
		default:
			b.WriteString("=" + strings.ToUpper(strconv.FormatUint(uint64(r)|0x100, 16)[1:]))
		}
	}
	return "$KV." + bucket + "." + b.String()
}
