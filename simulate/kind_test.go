package simulate_test

import (
	"errors"
	"runtime"
	"testing"

	"locktorture/history"
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
)

// A run with guests of either kind is the same each time, with all faults; what it comes to is
// alike.
func TestKinds(t *testing.T) {
	on := servers(t, "redis-watchdog")
	grants := map[machine.Kind]int{}
	for _, k := range []machine.Kind{machine.Native, machine.Wasm} {
		p, err := machine.LoadKind(t.Context(), wasm.Engine{}, "cmd/guest", k)
		if errors.Is(err, machine.ErrKind) && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
			t.Skip(err)
		}
		must(t, err)
		h, first := play(t, p, on, faulted("redis-watchdog"), everything...)
		_, again := play(t, p, on, faulted("redis-watchdog"), everything...)
		if first.Sum() != again.Sum() {
			t.Errorf("%s: %s, and again %s", k, first.Sum(), again.Sum())
		}
		grants[k] = granted(h)
		must(t, p.Close(t.Context()))
	}
	if a, b := grants[machine.Native], grants[machine.Wasm]; a < 5 || b < 5 || a > 2*b || b > 2*a {
		t.Errorf("%d grants, and %d in wasm", a, b)
	}
}

// granted counts the grants of a history.
func granted(h history.History) (n int) {
	for _, op := range h {
		if (op.F == history.Acquire || op.F == history.Await) && op.Type == history.OK {
			n++
		}
	}
	return n
}
