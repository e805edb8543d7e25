package harness

import (
	"testing"

	"locktorture/nemesis"
)

// TestWorldIsTheCallers fails where a run puts its clients into the world of its caller, who may have
// copied it and would see other clients than a fault does.
func TestWorldIsTheCallers(t *testing.T) {
	world := &nemesis.World{Clients: make([]nemesis.Client, 2)}
	r, err := New(Config{Clients: 2, Fencing: FencingOff, World: world})
	if err != nil {
		t.Fatal(err)
	}
	if world.Clients[0] != nil || world.Clients[1] != nil {
		t.Errorf("the caller's world has clients %v", world.Clients)
	}
	for i, c := range r.faults.Clients() {
		if c != nemesis.Client(&r.clients[i].target) {
			t.Errorf("fault sees client %d as %v", i+1, c)
		}
	}
}
