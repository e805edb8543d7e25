package nemesis_test

import (
	"testing"
	"time"

	"locktorture/nemesis"
)

// TestPartitionLosesAnswersAlone: of three cuts between clients and servers one loses the
// answers alone, and none the requests alone.
func TestPartitionLosesAnswersAlone(t *testing.T) {
	w := shapeOf(5, 1, 1)
	w.Peer = nil
	lost := map[nemesis.Direction]int{}
	for seed := range uint64(20) {
		for _, s := range plan(t, seed, w, only("partition"), time.Minute) {
			lost[s.Direction]++
		}
	}
	if sum := lost[""] + lost[nemesis.Replies]; len(lost) != 2 || lost[nemesis.Replies] < sum/4 || lost[nemesis.Replies] > sum*2/5 {
		t.Errorf("cuts by direction: %v", lost)
	}
	if err := (nemesis.Partition{}).Check(w, nemesis.Step{Mode: nemesis.PartitionClients, Nodes: []int{0}, Direction: nemesis.Requests}); err == nil {
		t.Error("a cut of requests alone is accepted")
	}
}
