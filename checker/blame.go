package checker

import (
	"locktorture/checker/incident"
	"locktorture/checker/rule"
)

// A Breaker names who broke a promise of exclusion or of fencing.
type Breaker string

// The breakers. If both broke one, the lock is blamed. Holders can be told to ask for their
// validity, and a store to look at tokens, but nothing helps against a lock that breaks its
// own promise.
const (
	Nobody    Breaker = ""
	TheLock   Breaker = "lock"   // it granted, told or promised what was not true, or its tokens are unsound
	TheHolder Breaker = "holder" // it went on after its lease was over
)

// promiseKinds returns the kinds of anomalies by which a lock breaks its own promise.
func promiseKinds() []string {
	var out []string
	for _, k := range rule.Kinds() {
		if k.Property == incident.Exclusion && k.Name != incident.Overrun {
			out = append(out, k.Name)
		}
	}
	return out
}

// brokenPromise returns the first kind by which the lock broke its promise; "" if it did not.
func brokenPromise(counts map[string]int) string {
	for _, kind := range promiseKinds() {
		if counts[kind] > 0 {
			return kind
		}
	}
	return ""
}

// unsoundToken returns the first kind that shows unsound tokens; "" if there is none. A store
// compares tokens and nothing else, so the lock is to blame for all of these kinds.
func unsoundToken(counts map[string]int) string {
	for _, k := range rule.Kinds() {
		if k.Property == incident.Fencing && counts[k.Name] > 0 {
			return k.Name
		}
	}
	return ""
}

// breaker returns who broke a promise, by the anomalies that were found.
func breaker(counts map[string]int) Breaker {
	switch {
	case brokenPromise(counts) != "", unsoundToken(counts) != "":
		return TheLock
	case counts[incident.Overrun] > 0:
		return TheHolder
	}
	return Nobody
}

// says names the breaker in a verdict.
func (b Breaker) says() string {
	switch b {
	case TheLock:
		return "the lock broke its promise"
	case TheHolder:
		return "the holder overstayed"
	}
	return ""
}
