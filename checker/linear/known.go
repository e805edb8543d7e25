package linear

import (
	"fmt"
	"math/bits"
)

// ofLocks has the functions that a client of a lock calls.
var ofLocks = []F{Acquire, Renew, Release, End}

// known are the functions that each model knows. A history with any other function is not a
// history of that object.
var known = map[string][]F{
	"mutex": ofLocks, "reentrant": ofLocks, "lease": ofLocks, "fenced": ofLocks, "reentrant-fenced": ofLocks, "timed-lease": ofLocks,
	"rwlock": ofLocks, "semaphore": ofLocks, "timed-rwlock": ofLocks, "timed-semaphore": ofLocks,
	"latch":        {CountDown, Await},
	"barrier":      {Enter, Leave, End},
	"election":     {Campaign, Resign, Renew, End, Observe},
	"register":     {Read, Write, CAS, Append},
	"statemachine": {Read, Write, CAS, Append},
	"counter":      {Read, Add, FetchAdd},
	"faa":          {Read, Add, FetchAdd},
	"inventory":    {Read, Sell},
	"log":          {Read, Append},
	"fenced-store": {Read, Write},
	"replay":       {Read, Write},
}

// foreign says why a model cannot judge operations, or "".
func foreign(name string, ops []Operation) string {
	var knows [len(functions)]bool
	for _, f := range known[name] {
		knows[f] = true
	}
	for i := range ops {
		if f := ops[i].F; int(f) < len(knows) && !knows[f] {
			return fmt.Sprintf("the model %s has no operation %s: %v", name, f, ops[i])
		}
	}
	return ""
}

// wraps reports whether the sum of all steps leaves the range of int64, in
// which the models of sums count.
func wraps(ops []Operation) bool {
	var sum, carry uint64
	for i := range ops {
		d := ops[i].Delta
		sum, carry = bits.Add64(sum, magnitude(d), 0)
		if carry != 0 || sum >= 1<<63 {
			return true
		}
	}
	return false
}

func magnitude(d int64) uint64 {
	if d < 0 {
		return -uint64(d)
	}
	return uint64(d)
}
