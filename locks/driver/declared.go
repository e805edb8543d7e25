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

// A Declared is what a driver declares of its lock in its reply to open. What
// is absent the lock does not have.
type Declared struct {
	Lock      string `json:"lock,omitempty"`   // what it is, with the versions of its libraries, for people
	Kind      string `json:"kind,omitempty"`   // one of locks.Kinds; "": an exclusive lock
	Single    bool   `json:"single,omitempty"` // of a semaphore: an acquire takes one permit
	Reentrant bool   `json:"reentrant,omitempty"`
	Upgrades  bool   `json:"upgrades,omitempty"` // of an rw: upgrade and downgrade change a lease
	Fair      bool   `json:"fair,omitempty"`
	Wait      string `json:"wait,omitempty"` // spin, pub/sub, server, watch, queue
	Renews    bool   `json:"renews,omitempty"`
	Token     bool   `json:"token,omitempty"`    // every grant has one
	Watched   bool   `json:"watched,omitempty"`  // events tell a loss
	Observed  bool   `json:"observed,omitempty"` // of an election: who leads can be asked
	Validity  string `json:"validity,omitempty"` // what ends it: TTL, session …; grants and asks then say what remains

	Model      string        `json:"model,omitempty"`
	LeastTTL   time.Duration `json:"least_ttl,omitempty"`   // ns; 0: it has no TTL
	FreeWithin time.Duration `json:"free_within,omitempty"` // ns, at the TTL of the open request; 0: it says nothing, and is held to three TTLs
	Retry      time.Duration `json:"retry,omitempty"`       // ns: longest pause between two tries of a waiter
	Clock      string        `json:"clock,omitempty"`       // on whose clock its leases run

	// Keys says that the lock named N is kept where the locks of this repository
	// are, with the told owner as value, so that the harness can look: "redis"
	// (key lock:N), "redis:KEY" (the key with N for its star), "zookeeper" (first node below /lock/N).
	Keys string `json:"keys,omitempty"`
	// BlindRelease says why a release cannot tell that the lease had ended; "" if it can.
	BlindRelease string `json:"blind_release,omitempty"`
}

// parseDeclared is strict: a capability that is misspelled would be lost in silence.
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
	for name, v := range map[string]time.Duration{"least_ttl": d.LeastTTL, "free_within": d.FreeWithin, "retry": d.Retry} {
		if v < 0 {
			return nil, fmt.Errorf("traits of the open reply: %s is negative", name)
		}
	}
	if _, ok := locks.KindOf(d.Kind); !ok {
		return nil, fmt.Errorf("traits of the open reply: kind: %w", suggest.Among(d.Kind, kindNames()))
	}
	for name, v := range map[string]string{
		"lock": d.Lock, "wait": d.Wait, "validity": d.Validity, "model": d.Model, "clock": d.Clock, "keys": d.Keys, "blind_release": d.BlindRelease,
	} {
		if len(v) > maxTrait {
			return nil, fmt.Errorf("traits of the open reply: %s has %d bytes, at most %d are taken", name, len(v), maxTrait)
		}
	}
	return &d, nil
}

// Traits are what the declaration means to the harness.
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

// model is the one by which a lock is graded that names none.
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

// meantTrait says which trait was meant by one that there is not; "" if none is near.
// encoding/json has no type for that error, and quotes the name.
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

// kindNames are the kinds that a driver may declare, for people.
func kindNames() (names []string) {
	for _, k := range locks.Kinds() {
		if k.Name != "" {
			names = append(names, k.Name)
		}
	}
	return names
}

// RedisKey returns how the key of a lock is called on Redis; nil where there is none to look at.
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
