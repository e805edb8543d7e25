package wire_test

import (
	"slices"
	"testing"

	"locktorture/internal/wire"
)

func TestOwner(t *testing.T) {
	for _, process := range []int{0, 7, 1234} {
		if got, ok := wire.OwnerProcess(wire.Owner(process) + ":a1b2:c3"); !ok || got != process {
			t.Errorf("process %d is read as %d, %v", process, got, ok)
		}
	}
	for _, other := range []string{"", "p", "p7", "7:a", "q7:a", "p:a", "px:a", "pp7:a"} {
		if got, ok := wire.OwnerProcess(other); ok {
			t.Errorf("%q is read as process %d", other, got)
		}
	}
}

func TestRoute(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want wire.Route
	}{
		{"redis@10.0.0.1:6379=127.0.0.1:7001", wire.Route{Kind: "redis", Announced: "10.0.0.1:6379", Dial: "127.0.0.1:7001"}},
		{"sentinel@[::1]:26379", wire.Route{Kind: "sentinel", Announced: "[::1]:26379", Dial: "[::1]:26379"}},
	} {
		got, err := wire.ParseRoute(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.in, got, err)
		}
		if again, err := wire.ParseRoute(got.String()); err != nil || again != got {
			t.Errorf("%s, written and read again: %+v, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "redis", "@a=b", "redis@"} {
		if got, err := wire.ParseRoute(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

func TestKey(t *testing.T) {
	key := wire.Key("L", "order/3/7")
	if lock, rest := wire.CutKey(key); key != "L/order/3/7" || lock != "L" || rest != "order/3/7" {
		t.Errorf("%q is read as %q and %q", key, lock, rest)
	}
	if rest, ok := wire.KeyOf("L", key); !ok || rest != "order/3/7" {
		t.Errorf("of L: %q, %v", rest, ok)
	}
	for _, other := range []string{"L2", "order", ""} {
		if rest, ok := wire.KeyOf(other, key); ok {
			t.Errorf("%q is taken for a key of %q: %q", key, other, rest)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, set := range []string{"none", "pause", "clock+kill-client+pause"} {
		if again := wire.Faults(wire.FaultKinds(set)); again != set {
			t.Errorf("%q, read and written again: %q", set, again)
		}
	}
	if got := wire.FaultKinds("clock+pause"); !slices.Equal(got, []string{"clock", "pause"}) {
		t.Errorf("read as %q", got)
	}
}
