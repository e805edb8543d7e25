package nemesistest_test

import (
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

// The leader is struck in every way, another one leads, and after the heal all
// servers are there.
func TestLeader(t *testing.T) {
	for _, topology := range []string{"etcd-3", "zookeeper-3"} {
		t.Run(topology, func(t *testing.T) {
			c, w := serve(t, topology, 1)
			w.Leader = c.Leader
			for mode, seen := range map[string]string{
				nemesis.LeaderKill: "killed", nemesis.LeaderStop: "stopped", nemesis.LeaderCut: "cut from the other servers",
			} {
				old := leader(t, c, mode+": a server leads", -1)
				heal := nemesistest.Inject(t, w, nemesis.Leader{}, nemesis.Step{Mode: mode, Nodes: []int{0, 1, 2}}, "leader "+c.Nodes[old].Name()+" "+seen)
				leader(t, c, mode+": another leads", old)
				heal()
				leader(t, c, mode+": all have a leader again", -1)
			}
		})
	}
}

// leader waits for a leader other than one server. One question is not enough: a server that a
// busy machine keeps waiting does not tell its role in time.
func leader(t *testing.T, c *cluster.Cluster, what string, other int) (now int) {
	t.Helper()
	until(t, what, 3*time.Minute, func() (ok bool) {
		ctx, cancel := nemesistest.Short()
		defer cancel()
		var err error
		now, err = c.Leader(ctx)
		return err == nil && now != other
	})
	return now
}
