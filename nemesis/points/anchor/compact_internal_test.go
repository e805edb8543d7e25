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

// After a compaction a real etcd no longer has what was before it.
func TestCompactAt(t *testing.T) {
	c, err := cluster.Start(t.Context(), "etcd-3", process.New("../../../bin/servers"), 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	addr := c.Endpoints(0)[0]
	first := faults.Post{Path: "/v3/kv/range", Body: `{"key":"YmVzaWRl","revision":"2"}`}
	if err := compactAt(t.Context(), addr); err != nil {
		t.Fatal(err)
	}
	if said, err := post(t.Context(), addr, first); err == nil || !strings.Contains(err.Error(), "compacted") {
		t.Errorf("the first revision after a compaction: %s, %v", said, err)
	}
}

// A foreign server is an etcd that torture has not started.
type foreign struct{}

func (foreign) Name() string { return "etcd-1" }

// The history of somebody else's data is never discarded.
func TestCompactsOwnServersOnly(t *testing.T) {
	d := schedule.Decision{Kind: schedule.Compact}
	err := possible(d, &nemesis.World{Nodes: []nemesis.Node{foreign{}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "only servers that it has started") {
		t.Error(err)
	}
}
