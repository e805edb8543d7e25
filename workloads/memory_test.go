package workloads_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"locktorture/workloads"
)

// do returns one operation on a store that must not fail.
func do(t *testing.T, m *workloads.Memory, op workloads.Access) (string, int64) {
	t.Helper()
	v, n, err := m.Do(context.Background(), op)
	if err != nil {
		t.Fatalf("%+v: %v", op, err)
	}
	return v, n
}

func TestMemoryKeepsPlainAndFencedApart(t *testing.T) {
	m := &workloads.Memory{}
	do(t, m, workloads.Access{Write: true, Key: "k", Value: "plain"})
	do(t, m, workloads.Access{Write: true, Key: "k", Value: "fenced", Fenced: true, Lock: "l", Token: 1})
	if v, _ := do(t, m, workloads.Access{Key: "k"}); v != "plain" {
		t.Errorf("plain read %q", v)
	}
	v, n := do(t, m, workloads.Access{Key: "k", Fenced: true, Lock: "l", Token: 1})
	if v != "fenced" || n != 4 {
		t.Errorf("fenced read %q as operation %d, want fenced, 4", v, n)
	}
	if v, _ := do(t, m, workloads.Access{Key: "never written"}); v != "" {
		t.Errorf("unwritten key holds %q", v)
	}
}

func TestMemoryFencing(t *testing.T) {
	read := func(lock string, token uint64) workloads.Access {
		return workloads.Access{Lock: lock, Token: token, Fenced: true, Key: lock + "/k"}
	}
	write := func(lock string, token uint64) workloads.Access {
		op := read(lock, token)
		op.Write, op.Value = true, "v"
		return op
	}
	plain := func(op workloads.Access) workloads.Access { op.Fenced = false; return op }
	tests := []struct {
		name       string
		writesOnly bool
		before     []workloads.Access
		op         workloads.Access
		stale      bool
	}{
		{"same token goes on", false, []workloads.Access{write("l", 34)}, write("l", 34), false},
		{"older write after a write", false, []workloads.Access{write("l", 34)}, write("l", 33), true},
		{"older write after a read alone", false, []workloads.Access{read("l", 34)}, write("l", 33), true},
		{"older read", false, []workloads.Access{write("l", 34)}, read("l", 33), true},
		{"another lock has a mark of its own", false, []workloads.Access{write("l", 34)}, write("m", 1), false},
		{"plain operations neither ask the mark", false, []workloads.Access{write("l", 34)}, plain(write("l", 33)), false},
		{"nor move it", false, []workloads.Access{plain(write("l", 34))}, write("l", 33), false},
		{"the hole: a newer reader is not seen", true, []workloads.Access{read("l", 34)}, write("l", 33), false},
		{"the hole: an older reader is not seen", true, []workloads.Access{write("l", 34)}, read("l", 33), false},
		{"no hole for writes", true, []workloads.Access{write("l", 34)}, write("l", 33), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &workloads.Memory{WritesOnly: tt.writesOnly}
			for _, op := range tt.before {
				do(t, m, op)
			}
			_, n, err := m.Do(context.Background(), tt.op)
			if errors.Is(err, workloads.ErrStale) != tt.stale || (err != nil) != tt.stale {
				t.Fatalf("error %v, want stale %v", err, tt.stale)
			}
			want := int64(len(tt.before) + 1)
			if tt.stale {
				want = 0
			}
			if n != want {
				t.Errorf("apply number %d, want %d", n, want)
			}
		})
	}
}

func TestMemoryAppliesNothingOnceDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := &workloads.Memory{}
	op := workloads.Access{Write: true, Key: "k", Value: "v"}
	if _, _, err := m.Do(ctx, op); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if v, n := do(t, m, workloads.Access{Key: "k"}); v != "" || n != 1 {
		t.Errorf("a cancelled write was applied: %q, %d", v, n)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Do(context.Background(), op); !errors.Is(err, workloads.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Apply numbers of operations at the same time are 1…n, each once.
func TestMemoryApplyNumbersAreDense(t *testing.T) {
	const clients, each = 8, 500
	m := &workloads.Memory{}
	numbers := make([][]int64, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				_, n, err := m.Do(context.Background(), workloads.Access{Write: i%2 == 0, Key: "k", Value: "v"})
				if err != nil {
					t.Error(err)
				}
				numbers[c] = append(numbers[c], n)
			}
		})
	}
	wg.Wait()
	seen := map[int64]bool{}
	for _, ns := range numbers {
		last := int64(0)
		for _, n := range ns {
			if n <= last || n > clients*each || seen[n] {
				t.Fatalf("apply number %d after %d, seen before: %v", n, last, seen[n])
			}
			seen[n], last = true, n
		}
	}
}

func BenchmarkMemory(b *testing.B) {
	for _, fenced := range []bool{false, true} {
		name := "store=plain"
		if fenced {
			name = "store=fenced"
		}
		b.Run(name, func(b *testing.B) {
			m := &workloads.Memory{}
			ctx := context.Background()
			for i := 0; b.Loop(); i++ {
				op := workloads.Access{Lock: "counter", Token: uint64(i), Fenced: fenced, Write: i%2 == 1, Key: "counter/counter", Value: "1"}
				if _, _, err := m.Do(ctx, op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestMemoryConditionalWrite(t *testing.T) {
	m := &workloads.Memory{}
	guarded := workloads.Access{Write: true, Key: "k", Value: "1", Guard: "owner", Want: "a"}
	do(t, m, workloads.Access{Write: true, Key: "owner", Value: "a"})
	do(t, m, guarded)
	do(t, m, workloads.Access{Write: true, Key: "owner", Value: "b"})
	guarded.Value = "2"
	if _, n, err := m.Do(context.Background(), guarded); !errors.Is(err, workloads.ErrConflict) || n != 0 {
		t.Errorf("a write whose condition is over: apply %d, error %v", n, err)
	}
	if v, _ := do(t, m, workloads.Access{Key: "k"}); v != "1" {
		t.Errorf("k holds %q after a refused write, want 1", v)
	}
}
