package nemesistest_test

import (
	"testing"

	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

// Every kind of server that elects a leader can be seen cut off and back.
func TestPartitionOfConsensus(t *testing.T) {
	for _, topology := range []string{"etcd-3", "zookeeper-3", "consul-3"} {
		t.Run(topology, func(t *testing.T) {
			c, w := serve(t, topology, 1)
			s := nemesis.Step{Mode: nemesis.PartitionClients, Nodes: []int{0, 2}, Clients: []int{1}}
			nemesistest.Inject(t, w, nemesis.Partition{}, s, c.Nodes[0].Name())()
			heal := nemesistest.Inject(t, w, nemesis.Latency{}, nemesis.Step{Nodes: []int{1}, Clients: []int{1}, Delay: 30 * ms}, "")
			heal()
		})
	}
}
