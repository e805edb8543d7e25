package anchor

import (
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// After a compaction a real etcd no longer has what was before it. A revocation ends the lease of the
// newest key.
func TestErrands(t *testing.T) {
	c, err := cluster.Start(t.Context(), "etcd-3", process.New("../../../bin/servers"), 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	addr := c.Endpoints(0)[0]
	first := faults.Post{Path: "/v3/kv/range", Body: `{"key":"YmVzaWRl","revision":"2"}`}
	if err := run(t.Context(), addr, faults.ErrandOf(schedule.Revoke)); err == nil || !strings.Contains(err.Error(), "no key has a lease") {
		t.Errorf("a revocation without leases: %v", err)
	}
	if err := run(t.Context(), addr, faults.ErrandOf(schedule.Compact)); err != nil {
		t.Fatal(err)
	}
	if said, err := post(t.Context(), addr, first); err == nil || !strings.Contains(err.Error(), "compacted") {
		t.Errorf("the first revision after a compaction: %s, %v", said, err)
	}
	for _, p := range []faults.Post{
		{Path: "/v3/lease/grant", Body: `{"ID":"7","TTL":"60"}`},
		{Path: "/v3/lease/grant", Body: `{"ID":"8","TTL":"60"}`},
		{Path: "/v3/kv/put", Body: `{"key":"YQ==","lease":"7"}`},
		{Path: "/v3/kv/put", Body: `{"key":"Yg==","lease":"8"}`},
		{Path: "/v3/kv/put", Body: `{"key":"YQ==","lease":"7"}`},
	} {
		if _, err := post(t.Context(), addr, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(t.Context(), addr, faults.ErrandOf(schedule.Revoke)); err != nil {
		t.Fatal(err)
	}
	said, err := post(t.Context(), addr, faults.Post{Path: "/v3/kv/range", Body: `{"key":"YQ==","range_end":"Yw==","keys_only":true}`})
	if err != nil || !strings.Contains(string(said), `"YQ=="`) || strings.Contains(string(said), `"Yg=="`) {
		t.Errorf("keys after a revocation: %s, %v", said, err)
	}
}

// A foreign server is an etcd that torture has not started.
type foreign struct{}

func (foreign) Name() string { return "etcd-1" }

// The history of somebody else's data is never discarded, and no lease of somebody else is ended.
func TestErrandsToOwnServersOnly(t *testing.T) {
	for _, k := range []schedule.Kind{schedule.Compact, schedule.Revoke} {
		err := possible(schedule.Decision{Kind: k}, &nemesis.World{Nodes: []nemesis.Node{foreign{}}}, nil)
		if err == nil || !strings.Contains(err.Error(), "only servers that it has started") {
			t.Errorf("%s: %v", k, err)
		}
	}
}
