package consul

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"locktorture/locks"
)

// A lease is a key that a session has acquired or is about to acquire.
type lease struct {
	lock    *Lock
	session *session
	name    string
	owner   string
	token   uint64
	// doubt reports that an acquire request was not answered and may still be carried out.
	doubt bool

	released atomic.Bool
}

var (
	_ locks.Fenced  = (*lease)(nil)
	_ locks.Watched = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// A kv is a key in Consul's JSON. The Value is base64 there.
type kv struct {
	Value       []byte
	Session     string
	ModifyIndex uint64
}

// errInvalid reports that Consul does not know the session.
var errInvalid = errors.New("session is unknown")

// acquire requests the key, and repeats the request until it is answered. It uses the verb "lock"
// of a transaction because its answer includes the index, unlike the answer of ?acquire=.
func (e *lease) acquire(ctx context.Context) (got bool, err error) {
	ctx, cancel := e.session.context(ctx)
	defer cancel()
	type op struct {
		Verb, Key, Session string
		Value              []byte
	}
	r, again, err := e.lock.insist(ctx, http.MethodPut, "txn", []map[string]op{
		{"KV": {Verb: "lock", Key: locks.Key("lock/", e.name), Session: e.session.id, Value: []byte(e.owner)}},
	})
	e.doubt = e.doubt || again
	if err != nil {
		return false, err
	}
	if r.status == http.StatusConflict {
		if strings.Contains(string(r.body), "invalid session") {
			return false, errInvalid
		}
		return false, nil
	}
	if err := r.ok(); err != nil {
		return false, err
	}
	var answer struct{ Results []struct{ KV kv } }
	if err := json.Unmarshal(r.body, &answer); err != nil || len(answer.Results) != 1 {
		e.doubt = true
		return false, fmt.Errorf("read answer %q: %w", r.body, err)
	}
	e.token = answer.Results[0].KV.ModifyIndex
	return true, nil
}

// holder reads the answer to a query for a key. It returns the zero kv if the key does not
// exist.
func (r reply) holder() (kv, error) {
	if r.status == http.StatusNotFound {
		return kv{}, nil
	}
	if err := r.ok(); err != nil {
		return kv{}, err
	}
	var keys []kv
	if err := json.Unmarshal(r.body, &keys); err != nil || len(keys) != 1 {
		return kv{}, fmt.Errorf("read key %q: %w", r.body, err)
	}
	return keys[0], nil
}

// Token returns the key's ModifyIndex at the grant, which grows with every change of the key.
func (e *lease) Token() uint64 { return e.token }

// Lost returns a channel that is closed when the session is over or may be over.
func (e *lease) Lost() <-chan struct{} { return e.session.over }

// Owner returns the value of the key.
func (e *lease) Owner() string { return e.owner }

// Release releases the key. The key remains, without a session and with an empty value.
func (e *lease) Release(ctx context.Context) error {
	if e.released.Swap(true) {
		return locks.ErrNotHeld
	}
	defer e.session.done(e.name)
	ctx, cancel := e.lock.graced(ctx)
	defer cancel()
	if e.session.Over() { // for this client; the servers may not know it yet
		select {
		case <-e.session.known:
		case <-ctx.Done():
		}
		if e.session.gone.Load() {
			return locks.ErrNotHeld
		}
		return errors.New("release: the session is over, and no server has said so")
	}
	r, again, err := e.lock.insist(ctx, http.MethodPut, "kv/"+keyOf(e.name)+"?release="+e.session.id, nil)
	if err == nil {
		err = r.ok()
	}
	if e.doubt || err != nil {
		e.session.end() // the key must not outlive, or come after, its session
	}
	switch {
	case err != nil:
		return fmt.Errorf("release: %w", err)
	case strings.TrimSpace(string(r.body)) == "true", again && e.session.alive():
		return nil
	case again:
		return errors.New("release: the session is over; either an unanswered request released the key, or the session had expired")
	}
	return locks.ErrNotHeld
}
