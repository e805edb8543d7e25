package guide

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"locktorture/nemesis"
)

// A server of these tests could suffer everything; planning never calls it.
type server struct {
	nemesis.Pauser
	nemesis.Restarter
	nemesis.Clocked
}

func (server) Name() string { return "server" }

// world is one for planning alone.
func world() *nemesis.World {
	type link struct{ nemesis.Link }
	w := &nemesis.World{
		TTL: time.Second, Quorum: 3, Clients: make([]nemesis.Client, clients), Nodes: []nemesis.Node{server{}, server{}, server{}, server{}, server{}},
		Link: func(int, int) nemesis.Link { return new(link) }, Peer: func(int, int) nemesis.Link { return new(link) },
		Replication: struct{ nemesis.Replication }{}, Leader: func(context.Context) (int, error) { return 0, nil },
	}
	return w
}

// TestSizes compares what the head of the table says of the sizes of faults with what is drawn.
func TestSizes(t *testing.T) {
	of := func(d time.Duration) float64 { return d.Abs().Seconds() }
	lasts := func(s nemesis.Step) float64 { return of(s.For) }
	for name, sizes := range map[string]map[string]func(nemesis.Step) float64{
		"pause": {"1.3–2": lasts}, "hold": {"1.1–2": lasts}, "partition": {"0.5–2": lasts}, "leader": {"0.5–2": lasts},
		"clock":        {"1–2": func(s nemesis.Step) float64 { return of(s.Offset) }, "2–10": rate},
		"client-clock": {"1–2": func(s nemesis.Step) float64 { return of(s.Offset) }},
		"failover":     {"1.05–1.2": func(s nemesis.Step) float64 { return of(s.Delay) }},
		"restart-kept": {"1.1–1.5": lasts}, "restart-empty": {"1.1–1.5": lasts},
		"latency": {"0.01–0.1": func(s nemesis.Step) float64 { return of(s.Delay) }, "0.5–1.5": lasts},
	} {
		size := ""
		for _, f := range faults() {
			if f.nemesis == name {
				size = f.size
			}
		}
		for text, value := range sizes {
			least, most := drawn(t, name, value)
			var low, high float64
			if _, err := fmt.Sscanf(strings.Replace(text, "–", " ", 1), "%f %f", &low, &high); err != nil {
				t.Fatal(err)
			}
			if slack := (high - low) / 10; !strings.Contains(size, text) || least < low || most > high || least > low+slack || most < high-slack {
				t.Errorf("%s: %q, and from %.3f to %.3f is drawn, want %s", name, size, least, most, text)
			}
		}
	}
}

// rate is how fast a clock runs; 0 for one that jumps.
func rate(s nemesis.Step) float64 {
	if s.Rate == 1 {
		return 0
	}
	return s.Rate
}

// drawn is the least and the most of a size that schedules have; 0 is none.
func drawn(t *testing.T, name string, value func(nemesis.Step) float64) (least, most float64) {
	t.Helper()
	w := world()
	for seed := range uint64(60) {
		steps, err := nemesis.Plan(rand.New(rand.NewPCG(seed, 1)), w, nemesis.Kinds{name: nemesis.All()[name]}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			v := value(s)
			if v == 0 {
				continue
			}
			if most = max(most, v); least == 0 || v < least {
				least = v
			}
		}
	}
	return least, most
}
