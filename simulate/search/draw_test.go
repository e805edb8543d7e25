package search

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/simulate/inside"
)

// points returns the points of an invented run on five servers: many refused requests, few
// gates.
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
		messages: spotsOf(all, messages), all: spotsOf(all, anywhere), leases: leases(all),
		deck: deck{seed, movesOf(schedule.Kinds(), nil, true)}, number: 1 + int(seed%50),
	}
}

// grants is a history of that run: client 1 is granted the lock three times.
func grants() (h history.History) {
	for i := range int64(3) {
		began := (100 + 600*i) * int64(time.Millisecond)
		for n, op := range []history.Op{
			{F: history.Acquire, Type: history.Invoke}, {F: history.Acquire, Type: history.OK}, {F: history.Release, Type: history.Invoke}, {F: history.Release, Type: history.OK},
		} {
			op.Client, op.Lease, op.Time = 1, i+1, began+int64(n)*int64(100*time.Millisecond)
			h = append(h, op)
		}
	}
	return h
}

// leases returns the leases of that run.
func leases(points []simulate.Point) []*lease {
	all, err := leasesOf(grants(), points)
	if err != nil {
		panic(err)
	}
	return all
}

// A fault around a lease strikes its client, from its call to the end of its release.
func TestLeases(t *testing.T) {
	all := leases(points())
	if len(all) != 3 {
		t.Fatalf("%d leases", len(all))
	}
	l := all[1]
	if l.client != 1 || l.asked != 700e6 || l.granted != 800e6 || l.freed != 1000e6 {
		t.Errorf("%+v", l)
	}
	for _, p := range l.points {
		if p.Client != 1 || p.At < l.asked-round || p.At > l.freed {
			t.Errorf("%v at %d", p.Point, p.At)
		}
	}
	for _, m := range allMoves() {
		for _, k := range m.kinds {
			for _, p := range m.from(l, k).all {
				if p.At > l.freed {
					t.Errorf("%s: %v at %d", m.name, p.Point, p.At)
				}
			}
		}
	}
	if len(l.during.all) == 0 || len(l.holding(schedule.Clock).all) == 0 || l.contested {
		t.Errorf("%d points while it was held, contested: %v", len(l.during.all), l.contested)
	}
}

// What is drawn is a schedule that a run can have, and the same for the same seed, with every
// strategy.
func TestDraw(t *testing.T) {
	for name := range Strategies() {
		for _, nodes := range []int{1, 5} {
			kinds, gates := map[schedule.Kind]int{}, 0
			for seed := range uint64(200) {
				s := drawerOf(name, seed, nodes).draw()
				if err := s.Check(3, nodes); err != nil {
					t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, s)
				}
				none := name == "lease" || name == Mixed // its points may be few
				if len(s) < 1 && !none || len(s) > most {
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
			if len(kinds) < len(schedule.Kinds()) && name != "lease" {
				t.Errorf("%s: only %v were drawn", name, kinds)
			}
			if alike := name == "uniform"; alike == (gates > 40) {
				t.Errorf("%s: %d faults at gates, which are one point in fifty and one class of two", name, gates)
			}
		}
	}
}

// Parts of a long TTL can be longer than a schedule permits. What is drawn keeps to its limits, and so
// do the changes of shrinking.
func TestDrawLongTTL(t *testing.T) {
	for name := range Strategies() {
		for seed := range uint64(200) {
			d := drawerOf(name, seed, 5)
			d.order.TTL = 24 * time.Hour
			s := d.draw()
			if err := s.Check(3, 5); err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, s)
			}
			if len(s) == 0 {
				continue
			}
			shrink := shrinker{best: &Outcome{Trial: Trial{Schedule: s}}}
			for _, d := range shrink.dials() {
				longer := shrink.set(d, 2*d.of(&s[d.decision]).Abs())
				if err := longer.Schedule.Check(3, 5); err != nil {
					t.Fatalf("%s, seed %d, twice as long: %v\n%s", name, seed, err, longer.Schedule)
				}
			}
		}
	}
}

// Each kind of fault has a move, so a search can draw it alone.
func TestMoves(t *testing.T) {
	for _, k := range schedule.Kinds() {
		if len(movesOf([]schedule.Kind{k}, nil, true)) == 0 {
			t.Errorf("no move has %s", k)
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

// A deck deals each move as often as it weighs, and each of its cells once before any comes
// again, whatever the world.
func TestDeck(t *testing.T) {
	d := drawerOf(Usual, 1, 5).deck
	leases := leases(points())
	dealt, seen := map[string]int{}, map[string]map[cell]int{}
	for number := 1; number <= 10*len(d.moves); number++ {
		m, before := d.deal(number)
		if before != dealt[m.name] {
			t.Fatalf("trial %d: %s was dealt %d times before, it says %d", number, m.name, dealt[m.name], before)
		}
		dealt[m.name]++
		cells := d.cells(m, leases)
		if len(cells) == 0 {
			continue
		}
		if seen[m.name] == nil {
			seen[m.name] = map[cell]int{}
		}
		c := cells[before%len(cells)]
		if seen[m.name][c]++; seen[m.name][c] > before/len(cells)+1 {
			t.Errorf("trial %d: %v of %s comes again before all others came", number, c, m.name)
		}
	}
	for _, m := range allMoves() {
		if dealt[m.name] != 10*m.weight {
			t.Errorf("%s was dealt %d times, want %d", m.name, dealt[m.name], 10*m.weight)
		}
	}
}

// Worlds with room for what is looked for come three times as often as others, and all of them
// come.
func TestLoadsFor(t *testing.T) {
	all := Loads(Load{Hold: "50ms", Think: "20ms"}, 500*time.Millisecond)
	if n := len(loadsFor(all, nil)); n != len(all) {
		t.Errorf("%d loads without a property, want %d", n, len(all))
	}
	times := map[Load]int{}
	for _, l := range loadsFor(all, broken([]string{"orphan"})) {
		times[l]++
	}
	for _, l := range all {
		if want := map[bool]int{true: 3, false: 1}[l.Think == "250ms"]; times[l] != want {
			t.Errorf("%v comes %d times, want %d", l, times[l], want)
		}
	}
}

// A hold of a waiter's messages has a length, even where the point comes after the grant.
func TestOutwait(t *testing.T) {
	d := &drawer{r: rand.New(rand.NewPCG(1, 1)), order: inside.Order{TTL: time.Second, Wait: 2 * time.Second}}
	for n := range 100 {
		one := schedule.Decision{Kind: schedule.Hold}
		d.outwait(&lease{asked: 0, granted: int64(time.Second)}, &one, int64(n)*int64(100*time.Millisecond))
		if one.For <= 0 {
			t.Fatalf("%d00 ms after the request: a hold of %v", n, one.For)
		}
	}
}
