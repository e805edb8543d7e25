package search

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/schedule"
)

// points are those of a made-up run on five servers: many refused requests, few gates.
func points() (all []simulate.Point) {
	for i := range 200 {
		at := int64(i) * int64(10*time.Millisecond)
		all = append(all, simulate.Point{Point: schedule.Point{Client: 1 + i%3, Kind: schedule.Send, What: "SET", Node: 1 + i%5, Ordinal: 1 + i}, At: at})
		if i%50 == 0 {
			all = append(all, simulate.Point{Point: schedule.Point{Client: 1, Kind: schedule.Gate, What: "write", Ordinal: 1 + i/50}, At: at + 1})
		}
	}
	return all
}

func drawerOf(name string, seed uint64, nodes int) *drawer {
	all := points()
	if nodes == 1 {
		for i := range all {
			all[i].Node = min(1, all[i].Node)
		}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	return &drawer{
		r: r, order: inside.Order{TTL: 500 * time.Millisecond, Duration: 2 * time.Second}, nodes: nodes, by: strategyOf(name, r), kinds: schedule.Kinds(),
		messages: spotsOf(all, messages), all: spotsOf(all, anywhere),
	}
}

// What is drawn is a schedule that a run can have, and the same for the same seed, with every
// strategy.
func TestDraw(t *testing.T) {
	for name := range Strategies() {
		for _, nodes := range []int{1, 5} {
			kinds, gates := map[schedule.Kind]int{}, 0
			for seed := range uint64(100) {
				s := drawerOf(name, seed, nodes).draw()
				if err := s.Check(3, nodes); err != nil {
					t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, s)
				}
				if len(s) < 1 || len(s) > most {
					t.Errorf("%s, seed %d: %d faults", name, seed, len(s))
				}
				if again := drawerOf(name, seed, nodes).draw(); !reflect.DeepEqual(again, s) {
					t.Errorf("%s, seed %d: drawn again:\n%s, first\n%s", name, seed, again, s)
				}
				for _, d := range s {
					kinds[d.Kind]++
					if d.At.Kind == schedule.Gate {
						gates++
					}
				}
			}
			if len(kinds) < len(schedule.Kinds()) {
				t.Errorf("%s: only %v were drawn", name, kinds)
			}
			if alike := name == "uniform"; alike == (gates > 20) {
				t.Errorf("%s: %d faults at gates, which are one point in fifty and one class of two", name, gates)
			}
		}
	}
}

// A schedule that is varied is one that a run can have, and another one.
func TestVary(t *testing.T) {
	changed := 0
	for seed := range uint64(300) {
		d := drawerOf("novelty", seed, 5)
		s := d.draw()
		v := d.vary(append(schedule.Schedule(nil), s...))
		if err := v.Check(3, 5); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(v, s) {
			changed++
		}
	}
	if changed < 250 {
		t.Errorf("%d of 300 were changed", changed)
	}
}

// Times are a few TTLs at the most, and as often longer than one as shorter.
func TestSpan(t *testing.T) {
	d := drawerOf("class", 1, 1)
	longer := 0
	for range 2000 {
		switch x := d.span(0.4, 2.5); {
		case x < 200*time.Millisecond || x > 1250*time.Millisecond:
			t.Fatal(x)
		case x > 500*time.Millisecond:
			longer++
		}
	}
	if longer < 900 || longer > 1100 {
		t.Errorf("%d of 2000 are longer than a TTL", longer)
	}
}
