package faults

import (
	"errors"
	"fmt"
	"regexp"

	"locktorture/nemesis/points/schedule"
)

// A Post is a request to the HTTP gateway of etcd.
type Post struct{ Path, Body string }

// An Errand is what an operator does to etcd: requests, one after the other. Each function makes
// its request from the answer to the request before. It returns an error if that answer lacks what
// the request needs.
type Errand []func(said []byte) (Post, error)

// ErrandOf returns the errand of a kind of fault. It returns nil if the fault strikes by other
// means.
func ErrandOf(k schedule.Kind) Errand {
	switch k {
	case schedule.Compact: // two changes, so that a watch without events since then is behind
		return Errand{change, change, compaction}
	case schedule.Revoke:
		return Errand{newest, revocation}
	}
	return nil
}

// change changes a key of its own. The answer has the revision of the change.
func change([]byte) (Post, error) {
	return Post{"/v3/kv/put", `{"key":"YmVzaWRl","value":"Y2hhbmdlZA=="}`}, nil
}

// compaction discards all revisions before the one in said, the answer to a change.
func compaction(said []byte) (Post, error) {
	found := revision.FindSubmatch(said)
	if found == nil {
		return Post{}, fmt.Errorf("no revision in %q", said)
	}
	return Post{"/v3/kv/compaction", fmt.Sprintf(`{"revision":"%s","physical":true}`, found[1])}, nil
}

// newest asks for all keys, those created last first.
func newest([]byte) (Post, error) {
	return Post{"/v3/kv/range", `{"key":"AA==","range_end":"AA==","sort_order":"DESCEND","sort_target":"CREATE"}`}, nil
}

// revocation ends the lease of the first key in said, the answer to newest, that has one.
func revocation(said []byte) (Post, error) {
	found := lease.FindSubmatch(said)
	if found == nil {
		return Post{}, errors.New("no key has a lease")
	}
	return Post{"/v3/lease/revoke", fmt.Sprintf(`{"ID":"%s"}`, found[1])}, nil
}

var (
	revision = regexp.MustCompile(`"revision":"(\d+)"`)
	lease    = regexp.MustCompile(`"lease":"(\d+)"`)
)
