package faults

import (
	"fmt"
	"regexp"
)

// A Post is a request to the HTTP gateway of etcd.
type Post struct{ Path, Body string }

// Change returns the request that changes a key of its own. The answer has the revision of the
// change.
func Change() Post { return Post{"/v3/kv/put", `{"key":"YmVzaWRl","value":"Y2hhbmdlZA=="}`} }

// Compaction returns the request that makes etcd discard all revisions before one. It returns
// false if said, the answer to a change, has no revision.
func Compaction(said []byte) (Post, bool) {
	found := revision.FindSubmatch(said)
	if found == nil {
		return Post{}, false
	}
	return Post{"/v3/kv/compaction", fmt.Sprintf(`{"revision":"%s","physical":true}`, found[1])}, true
}

var revision = regexp.MustCompile(`"revision":"(\d+)"`)
