package nemesistest_test

import (
	"testing"

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
				ctx, cancel := nemesistest.Short()
				old, err := c.Leader(ctx)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				heal := nemesistest.Inject(t, w, nemesis.Leader{}, nemesis.Step{Mode: mode, Nodes: []int{0, 1, 2}}, "leader "+c.Nodes[old].Name()+" "+seen)
				until(t, mode+": another leads", nemesistest.Patience, func() bool {
					ctx, cancel := nemesistest.Short()
					defer cancel()
					now, err := c.Leader(ctx)
					return err == nil && now != old
				})
				heal()
				until(t, mode+": all have a leader again", nemesistest.Patience, func() bool {
					ctx, cancel := nemesistest.Short()
					defer cancel()
					_, err := c.Leader(ctx)
					return err == nil
				})
			}
		})
	}
}
