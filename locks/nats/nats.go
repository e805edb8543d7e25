// Package nats describes locks in a key-value bucket of NATS JetStream without the client library:
// their traits, the place of their records, and a probe. The driver in drivers/go/nats implements
// the locks.
//
// A lock named N is the key "lock.N" of a bucket with three replicas. Its last message is a record
// in JSON with the owner, or empty if the lock is free. Each message has a number in the bucket's
// stream, the revision. The servers accept a message only if its sender names the revision before
// it. The locks rely on two properties only: the servers check and store in one step, and they keep
// acknowledged messages.
package nats

import (
	"strconv"
	"strings"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// Bucket is the default bucket of the locks.
const Bucket = "locks"

// A Record is the value of a lock's key.
type Record struct {
	Owner string `json:"owner"`
	// Milliseconds is the TTL of the record. 0 means that it does not expire.
	Milliseconds int64 `json:"ttl_ms,omitempty"`
}

// electionTime is the time that nats-server takes to notice a dead leader and to elect another.
const electionTime = 10 * time.Second

// WholeSeconds rounds a TTL up to whole seconds, at least one, as JetStream requires; default 30 s.
func WholeSeconds(ttl time.Duration) time.Duration {
	return max(time.Second, (attempt.OrElse(ttl, 30*time.Second) + time.Second - 1).Truncate(time.Second))
}

// Traits returns the traits of the locks.
func Traits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Watched: true, Renews: true, Token: true, Validity: "renewal+TTL",
		LeastTTL: time.Second, Model: "fenced", Clock: "the wall clock of the stream's leader",
		// The server looks for expired records once a second.
		FreeWithin: func(ttl time.Duration) time.Duration { return WholeSeconds(ttl) + 2*time.Second + electionTime },
	}
}

// Subject returns the subject of a lock's key. Keys allow few characters; each other byte is
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
