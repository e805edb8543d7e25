package faults_test

import (
	"strings"
	"testing"

	"locktorture/nemesis/points/faults"
)

// A compaction is up to the revision that the answer to a change names.
func TestCompaction(t *testing.T) {
	p, ok := faults.Compaction([]byte(`{"header":{"revision":"17","raft_term":"2"}}`))
	if !ok || p.Path != "/v3/kv/compaction" || !strings.Contains(p.Body, `"revision":"17"`) {
		t.Errorf("%+v, %v", p, ok)
	}
	if p, ok := faults.Compaction([]byte("HTTP/1.1 503 Service Unavailable")); ok {
		t.Errorf("%+v without a revision", p)
	}
}
