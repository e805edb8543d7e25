package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"locktorture/internal/suggest"
	"locktorture/locks"
)

// A Declared holds the traits that a driver declares in its reply to open. The lock lacks every
// capability whose field is absent.
type Declared struct {
	// Lock is the name of the lock, with the versions of its libraries. It is shown to people.
	Lock string `json:"lock,omitempty"`
	// Kind is one of locks.Kinds. "" means an exclusive lock.
	Kind string `json:"kind,omitempty"`
	// Single reports that each acquire of a semaphore takes one permit.
	Single    bool `json:"single,omitempty"`
	Reentrant bool `json:"reentrant,omitempty"`
	// Upgrades reports that a lease of a read–write lock can be upgraded and downgraded.
	Upgrades bool `json:"upgrades,omitempty"`
	Fair     bool `json:"fair,omitempty"`
	// Wait is the way in which waiters wait: spin, pub/sub, server, watch or queue.
	Wait   string `json:"wait,omitempty"`
	Renews bool   `json:"renews,omitempty"`
	// Token reports that every grant has a fencing token.
	Token bool `json:"token,omitempty"`
	// Watched reports that an event announces each loss.
	Watched bool `json:"watched,omitempty"`
	// Observed reports that the leader of an election can be queried.
	Observed bool `json:"observed,omitempty"`
	// Validity names the end of the validity: TTL, session and others. If it is set, grants and
	// asks return the remaining time.
	Validity string `json:"validity,omitempty"`

	Model string `json:"model,omitempty"`
	// LeastTTL is the shortest usable TTL in ns. 0 means that the lock has no TTL.
	LeastTTL time.Duration `json:"least_ttl,omitempty"`
	// FreeWithin is the time, in ns and at the TTL of the open request, within which the lock of a
	// killed holder is free. 0 declares nothing, and three TTLs are assumed.
	FreeWithin time.Duration `json:"free_within,omitempty"`
	// Retry is the longest pause between two tries of a waiter, in ns.
	Retry time.Duration `json:"retry,omitempty"`
	// Clock names the clock that ends the lock's leases.
	Clock string `json:"clock,omitempty"`

	// Keys is the place of the lock named N on the servers. The value at this place must be
	// the owner that a grant reports, so that the harness can probe the servers as for the
	// locks of this repository. Values: "redis" (key lock:N), "redis:KEY" (KEY with N in place
	// of its star), "zookeeper" (first node below /lock/N). "" means that the harness cannot
	// probe the servers.
	Keys string `json:"keys,omitempty"`
	// BlindRelease is the reason why a release does not report that the lease had ended. It is
	// "" if the release reports that.
	BlindRelease string `json:"blind_release,omitempty"`
}

// parseDeclared rejects unknown fields, because a misspelled capability would be lost silently.
func parseDeclared(raw json.RawMessage) (*Declared, error) {
	var d Declared
	if len(raw) == 0 || string(raw) == "null" {
		return &d, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return nil, fmt.Errorf("traits of the open reply: %w%s", err, meantTrait(err))
	}
	for _, t := range []struct {
		name string
		v    time.Duration
	}{{"least_ttl", d.LeastTTL}, {"free_within", d.FreeWithin}, {"retry", d.Retry}} {
		if t.v < 0 {
			return nil, fmt.Errorf("traits of the open reply: %s is negative", t.name)
		}
	}
	if _, ok := locks.KindOf(d.Kind); !ok {
		return nil, fmt.Errorf("traits of the open reply: kind: %w", suggest.Among(d.Kind, kindNames()))
	}
	for _, t := range [][2]string{
		{"lock", d.Lock}, {"wait", d.Wait}, {"validity", d.Validity}, {"model", d.Model}, {"clock", d.Clock}, {"keys", d.Keys}, {"blind_release", d.BlindRelease},
	} {
		if len(t[1]) > maxTrait {
			return nil, fmt.Errorf("traits of the open reply: %s has %d bytes, at most %d are taken", t[0], len(t[1]), maxTrait)
		}
	}
	return &d, nil
}

// Traits converts the declaration to the harness's traits. A field that is not declared gets its
// default.
func (d Declared) Traits() locks.Traits {
	t := locks.Traits{
		Kind: d.Kind, Single: d.Single, Reentrant: d.Reentrant, Upgrades: d.Upgrades, Fair: d.Fair, Wait: d.Wait, Renews: d.Renews, Token: d.Token,
		Bounded: d.Validity != "", Watched: d.Watched, Observed: d.Observed, Blind: d.BlindRelease != "", Validity: d.Validity,
		LeastTTL: d.LeastTTL, Model: d.Model, Clock: d.Clock,
	}
	if t.Model == "" {
		t.Model = d.model()
	}
	if d.FreeWithin > 0 {
		t.FreeWithin = func(time.Duration) time.Duration { return d.FreeWithin }
	}
	return t
}

// model returns the default model for the declared capabilities.
func (d Declared) model() string {
	if k, _ := locks.KindOf(d.Kind); k.Model != "" {
		return k.Model
	}
	switch {
	case d.Token:
		return "fenced"
	case d.Validity != "":
		return "timed-lease"
	case d.LeastTTL > 0 || d.Watched || d.FreeWithin > 0:
		return "lease"
	}
	return "mutex"
}

// meantTrait returns a hint for an unknown trait: the closest known name, or else all names.
// encoding/json has no error type for unknown fields, so the name is cut out of the error's text.
func meantTrait(err error) string {
	_, rest, ok := strings.Cut(err.Error(), `unknown field "`)
	if !ok {
		return ""
	}
	var names []string
	for field := range reflect.TypeFor[Declared]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	if near := suggest.Nearest(strings.TrimSuffix(rest, `"`), names); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

// kindNames returns the kinds that a driver may declare, for error messages.
func kindNames() (names []string) {
	for _, k := range locks.Kinds() {
		if k.Name != "" {
			names = append(names, k.Name)
		}
	}
	return names
}

// RedisKey returns the function that maps a lock to its key on Redis, or nil if Keys names no
// such key.
func (d Declared) RedisKey() func(lock string) string {
	key, ok := strings.CutPrefix(d.Keys, "redis:")
	switch {
	case d.Keys == "redis":
		key = "lock:*"
	case !ok || strings.Count(key, "*") != 1:
		return nil
	}
	return func(lock string) string { return strings.Replace(key, "*", lock, 1) }
}
