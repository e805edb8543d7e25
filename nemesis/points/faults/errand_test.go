package faults_test

import (
	"strings"
	"testing"

	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// The last request of an errand is made from the answer to the one before.
func TestErrandOf(t *testing.T) {
	for _, c := range []struct {
		kind             schedule.Kind
		said, path, body string
	}{
		{schedule.Compact, `{"header":{"revision":"17","raft_term":"2"}}`, "/v3/kv/compaction", `"revision":"17"`},
		{schedule.Revoke, `{"kvs":[{"key":"YQ==","version":"1"},{"key":"Yg==","lease":"42"},{"lease":"7"}]}`, "/v3/lease/revoke", `"ID":"42"`},
	} {
		steps := faults.ErrandOf(c.kind)
		last := steps[len(steps)-1]
		p, err := last([]byte(c.said))
		if err != nil || p.Path != c.path || !strings.Contains(p.Body, c.body) {
			t.Errorf("%s: %+v, %v", c.kind, p, err)
		}
		if p, err := last([]byte("HTTP/1.1 503 Service Unavailable")); err == nil {
			t.Errorf("%s: %+v without an answer", c.kind, p)
		}
	}
	if steps := faults.ErrandOf(schedule.Pause); steps != nil {
		t.Errorf("a pause has %d requests", len(steps))
	}
}
