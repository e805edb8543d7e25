package linear_test

import (
	"math"
	"testing"
	"time"

	"locktorture/checker/linear"
)

// Border cases of locks whose leases end unseen, either side of each.
func TestLeases(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	none, strict := linear.Options{}, linear.Options{StrictTries: true}
	for name, r := range map[string]row{
		"lease: ends unseen":                   {"lease", "1 acquire ok 1 2; 2 acquire ok 3 4", none, valid, "", nil},
		"lease: renewed after the next":        {"lease", "1 acquire ok 1 2; 2 acquire ok 3 4; 1 renew ok 5 6", none, invalid, "surely held it from 2 to 5", []int{0, 2, 1}},
		"lease: renewed beside the next":       {"lease", "1 acquire ok 1 2; 2 acquire ok 3 5; 1 renew ok 5 6", none, valid, "", nil},
		"lease: released after the next":       {"lease", "1 acquire ok 1 2; 2 acquire ok 3 4; 1 release ok 5 6", none, invalid, "", nil},
		"lease: refused after the next":        {"lease", "1 acquire ok 1 2; 2 acquire ok 3 4; 1 release refused 5 6", none, valid, "", nil},
		"lease: renewed after a refusal":       {"lease", "1 acquire ok 1 2; 1 renew refused 3 4; 1 renew ok 5 6", none, invalid, "does not hold, or that was over", []int{2}},
		"lease: renewed without a grant":       {"lease", "1 renew ok 5 6", none, invalid, "does not hold, or that was over", []int{0}},
		"lease: refused without a grant":       {"lease", "1 renew refused 5 6; 1 release refused 7 8; 1 end ok 9 10", none, valid, "", nil},
		"lease: released, then renewed":        {"lease", "1 acquire ok 1 2; 1 release ok 3 4; 1 renew ok 5 6", none, invalid, "", []int{2}},
		"lease: ended, then renewed":           {"lease", "1 acquire ok 1 2; 1 end ok 3 4; 1 renew ok 5 6", none, invalid, "", []int{2}},
		"lease: an unknown renewal":            {"lease", "1 acquire ok 1 2; 2 acquire ok 3 4; 1 renew unknown 5 -", none, valid, "", nil},
		"lease: two that do something":         {"lease", "1 acquire ok 1 2; 1 renew ok 5 6; 2 acquire ok 3 4; 2 renew ok 7 8", none, invalid, "", nil},
		"lease: a try in a gap":                {"lease", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 6", strict, invalid, "surely free until the end", nil},
		"lease: a try that meets the end":      {"lease", "1 acquire ok 1 2; 1 release ok 3 5; 2 acquire refused 5 6", strict, valid, "", nil},
		"lease: a try beside an unknown":       {"lease", "1 acquire ok 1 2; 1 release ok 3 4; 3 acquire unknown 6 -; 2 acquire refused 5 6", strict, valid, "", nil},
		"lease: a try before an unknown":       {"lease", "1 acquire ok 1 2; 1 release ok 3 4; 3 acquire unknown 7 -; 2 acquire refused 5 6", strict, invalid, "", nil},
		"fenced: growing tokens":               {"fenced", "1 acquire ok 1 2 token=1; 2 acquire ok 3 4 token=2", none, valid, "", nil},
		"fenced: one twice":                    {"fenced", "1 acquire ok 1 2 token=1; 2 acquire ok 3 4 token=1", none, invalid, "token 1 is granted twice", []int{0, 1}},
		"fenced: none":                         {"fenced", "1 acquire ok 1 2", none, invalid, "a grant without a token", []int{0}},
		"fenced: shrinking":                    {"fenced", "1 acquire ok 1 2 token=2; 2 acquire ok 3 4 token=1", none, invalid, "a smaller token", []int{1, 0}},
		"fenced: shrinking at once":            {"fenced", "1 acquire ok 1 3 token=2; 2 acquire ok 3 4 token=1", none, valid, "", nil},
		"fenced: tokens beyond 2⁶³":            {"fenced", "1 acquire ok 1 2 token=9223372036854775807; 1 release ok 3 4 token=9223372036854775807", none, valid, "", nil},
		"fenced: renewed after a greater":      {"fenced", "1 acquire ok 1 2 token=1; 2 acquire ok 3 4 token=2; 1 renew ok 5 6 token=1", none, invalid, "", nil},
		"fenced: renewed with another":         {"fenced", "1 acquire ok 1 2 token=1; 1 renew ok 5 6 token=2", none, invalid, "a token that does not belong to its lease", []int{0, 1}},
		"fenced: renewed with none":            {"fenced", "1 acquire ok 1 2 token=1; 1 renew ok 5 6", none, valid, "", nil},
		"fenced: a try with a hole":            {"fenced", "1 acquire ok 1 2 token=1; 1 release ok 3 4; 3 acquire unknown 5 -; 2 acquire refused 6 7; 1 acquire ok 8 9 token=3", strict, valid, "", nil},
		"fenced: a try without a hole":         {"fenced", "1 acquire ok 1 2 token=1; 1 release ok 3 4; 3 acquire unknown 5 -; 2 acquire refused 6 7; 1 acquire ok 8 9 token=2", strict, invalid, "", nil},
		"fenced: two gaps, one unknown":        {"fenced", "1 acquire ok 1 2 token=1; 1 release ok 3 4; 3 acquire unknown 5 -; 2 acquire refused 6 7; 1 acquire ok 8 9 token=3; 1 release ok 10 11; 2 acquire refused 12 13; 1 acquire ok 14 15 token=5", strict, invalid, "only 1 such acquires had been called", nil},
		"reentrant-fenced: one token":          {"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 token=1; 1 release ok 5 6; 1 release ok 7 8", none, valid, "", nil},
		"reentrant-fenced: once too often":     {"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 token=1; 1 release ok 5 6; 1 release ok 7 8; 1 release ok 9 10", none, invalid, "", []int{4}},
		"reentrant-fenced: after another":      {"reentrant-fenced", "1 acquire ok 1 2 token=1; 2 acquire ok 3 4 token=2; 1 acquire ok 5 6 token=1", none, invalid, "", nil},
		"rwlock: readers share":                {"rwlock", "1 acquire ok 1 2 shared; 2 acquire ok 3 4 shared", none, valid, "", nil},
		"rwlock: a writer among readers":       {"rwlock", "1 acquire ok 1 2 shared; 2 acquire ok 3 4", none, invalid, "while others surely hold the lock", []int{0, 1}},
		"rwlock: a reader beside a writer":     {"rwlock", "1 acquire ok 1 2; 2 acquire ok 3 4 shared", none, invalid, "", []int{0, 1}},
		"rwlock: a writer after readers":       {"rwlock", "1 acquire ok 1 2 shared; 1 release ok 3 4 shared; 2 acquire ok 3 4", none, valid, "", nil},
		"semaphore: all permits":               {"semaphore", "1 acquire ok 1 2; 2 acquire ok 3 4", linear.Options{Capacity: 2}, valid, "", nil},
		"semaphore: one too many":              {"semaphore", "1 acquire ok 1 2; 2 acquire ok 3 4; 3 acquire ok 5 6", linear.Options{Capacity: 2}, invalid, "all 2 permits", []int{0, 1, 2}},
		"semaphore: given back in time":        {"semaphore", "1 acquire ok 1 2; 1 release ok 6 7; 2 acquire ok 3 4; 3 acquire ok 5 6", linear.Options{Capacity: 2}, valid, "", nil},
		"semaphore: given back too late":       {"semaphore", "1 acquire ok 1 2; 1 release ok 7 8; 2 acquire ok 3 4; 3 acquire ok 5 6", linear.Options{Capacity: 2}, invalid, "", nil},
		"semaphore: one, if not said":          {"semaphore", "1 acquire ok 1 2; 2 acquire ok 3 4", none, invalid, "all 1 permits", nil},
		"semaphore: two of three, and one":     {"semaphore", "1 acquire ok 1 2 permits=2; 2 acquire ok 3 4", linear.Options{Capacity: 3}, valid, "", nil},
		"semaphore: two of three, and two":     {"semaphore", "1 acquire ok 1 2 permits=2; 2 acquire ok 3 4 permits=2", linear.Options{Capacity: 3}, invalid, "2 permits at 4 or earlier, while others surely hold more than 1 of 3", []int{0, 1}},
		"semaphore: four of three":             {"semaphore", "1 acquire ok 1 2 permits=4", linear.Options{Capacity: 3}, invalid, "4 of 3 permits", []int{0}},
		"semaphore: the oldest is given back":  {"semaphore", "1 acquire ok 1 2 permits=2; 1 acquire ok 3 4; 1 release ok 5 6; 2 acquire ok 7 8 permits=2", linear.Options{Capacity: 3}, valid, "", nil},
		"semaphore: and not the other":         {"semaphore", "1 acquire ok 1 2; 1 acquire ok 3 4 permits=2; 1 release ok 5 6; 2 acquire ok 7 8 permits=2", linear.Options{Capacity: 3}, invalid, "", []int{1, 3}},
		"semaphore: that of the token is":      {"semaphore", "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 permits=2 token=2; 1 release ok 5 6 token=2; 2 acquire ok 7 8 permits=2", linear.Options{Capacity: 3}, valid, "", nil},
		"semaphore: two refused, one is left":  {"semaphore", "1 acquire ok 1 2 permits=2; 2 acquire refused 3 4 permits=2", linear.Options{Capacity: 3, StrictTries: true}, valid, "", nil},
		"semaphore: one refused, one is left":  {"semaphore", "1 acquire ok 1 2 permits=2; 2 acquire refused 3 4", linear.Options{Capacity: 3, StrictTries: true}, invalid, "nothing can have blocked this try", []int{1}},
		"semaphore: refused while one is left": {"semaphore", "1 acquire ok 1 2; 2 acquire refused 3 4", linear.Options{Capacity: 2, StrictTries: true}, invalid, "", nil},
		"semaphore: refused while none is":     {"semaphore", "1 acquire ok 1 2; 2 acquire ok 1 2; 3 acquire refused 3 4", linear.Options{Capacity: 2, StrictTries: true}, valid, "", nil},
	} {
		t.Run(name, r.check)
	}
}

// Border cases of a lease that lasts for its TTL.
func TestTimedLeases(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	ten, strict := linear.Options{TTL: 10}, linear.Options{TTL: 10, StrictTries: true}
	long := linear.Options{TTL: math.MaxInt64 * time.Nanosecond}
	for name, r := range map[string]row{
		"over at the grant":               {"timed-lease", "1 acquire ok 1 2; 2 acquire ok 3 11", ten, valid, "", nil},
		"not over at the grant":           {"timed-lease", "1 acquire ok 1 2; 2 acquire ok 3 10", ten, invalid, "is guaranteed to process 1 from 2 to 11", []int{0, 0, 1}},
		"released before":                 {"timed-lease", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire ok 3 4", ten, valid, "", nil},
		"released after":                  {"timed-lease", "1 acquire ok 1 2; 1 release ok 5 6; 2 acquire ok 3 4", ten, invalid, "", nil},
		"perhaps released before":         {"timed-lease", "1 acquire ok 1 2; 1 release unknown 3 -; 2 acquire ok 3 4", ten, valid, "", nil},
		"renewed":                         {"timed-lease", "1 acquire ok 1 2; 1 renew ok 5 6; 2 acquire ok 7 14", ten, invalid, "", nil},
		"over after the renewal":          {"timed-lease", "1 acquire ok 1 2; 1 renew ok 5 6; 2 acquire ok 7 15", ten, valid, "", nil},
		"told too early that it is over":  {"timed-lease", "1 acquire ok 1 2; 1 release refused 5 10", ten, invalid, "but this lease cannot be over before 11", []int{0, 0, 1}},
		"told that it is over":            {"timed-lease", "1 acquire ok 1 2; 1 release refused 5 11", ten, valid, "", nil},
		"ended by a crash":                {"timed-lease", "1 acquire ok 1 2; 1 end unknown 3 -; 2 acquire ok 4 5", ten, valid, "", nil},
		"tokens out of order":             {"timed-lease", "1 acquire ok 1 2 token=2; 2 acquire ok 20 21 token=1", ten, invalid, "", nil},
		"tokens in order, too early":      {"timed-lease", "1 acquire ok 1 2 token=1; 2 acquire ok 3 10 token=2", ten, invalid, "cannot have ended before 11", nil},
		"tokens in order":                 {"timed-lease", "1 acquire ok 1 2 token=1; 2 acquire ok 3 11 token=2", ten, valid, "", nil},
		"a try after the end":             {"timed-lease", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 6", strict, invalid, "surely free until the end", nil},
		"a try at the end":                {"timed-lease", "1 acquire ok 1 2; 1 release ok 3 5; 2 acquire refused 5 6", strict, valid, "", nil},
		"over, for it had less":           {"timed-lease", "1 acquire ok 1 2 ttl=5; 2 acquire ok 3 6", ten, valid, "", nil},
		"not over, though it had less":    {"timed-lease", "1 acquire ok 1 2 ttl=5; 2 acquire ok 3 5", ten, invalid, "is guaranteed to process 1 from 2 to 6", nil},
		"renewed for less":                {"timed-lease", "1 acquire ok 1 2 ttl=2; 1 renew ok 5 6 ttl=3; 2 acquire ok 7 8", ten, valid, "", nil},
		"renewed for too little":          {"timed-lease", "1 acquire ok 1 2; 1 renew ok 5 6 ttl=3; 2 acquire ok 7 10", ten, invalid, "", nil},
		"a TTL beyond all times":          {"timed-lease", "1 acquire ok 1 2; 2 acquire ok 1000 1001", long, invalid, "", nil},
		"a TTL beyond all times, renewed": {"timed-lease", "1 acquire ok 1 2; 1 renew ok 5 6; 1 release ok 7 8; 2 acquire ok 1000 1001", long, valid, "", nil},
		"a TTL beyond all times, refused": {"timed-lease", "1 acquire ok 1 2; 1 renew refused 5 6", long, invalid, "", nil},
		"tokens, a TTL beyond all times":  {"timed-lease", "1 acquire ok 1 2 token=1; 2 acquire ok 1000 1001 token=2", long, invalid, "", nil},
	} {
		t.Run(name, r.check)
	}
}
