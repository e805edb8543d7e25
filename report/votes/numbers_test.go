package votes_test

import (
	"slices"
	"testing"

	"locktorture/history"
	"locktorture/report/internal/sample"
	"locktorture/report/votes"
)

// TestNumbers: the requests of an acquire with several tries are numbered, whether it was granted
// or not, and those of an acquire with one try are not. What a client asks again because the
// server did not know the script is no further try.
func TestNumbers(t *testing.T) {
	const set, again, other = "SET lock:L valueOne px 500 nx", "SET lock:L valueNew px 500 nx", "SET lock:L valueTwo px 500 nx"
	const hash, source = `EVALSHA script("Return 0 if an entry already exists.") keys lock:L args one 500`, `EVAL script("Return 0 if an entry already exists.") keys lock:L args one 500`
	all := slices.Concat(
		round(10, 1, set, "nil", "OK"), exchange(12, 1, "redis-1", "DEL lock:L", "0"), round(20, 1, again, "OK", "OK"), // granted, two tries, the second in another name
		round(12, 2, other, "nil", "nil"), round(14, 2, other, "nil", "nil"), round(16, 2, other, "nil", "nil"), // refused, three
		round(60, 1, set, "OK", "OK"),                                                                      // one
		exchange(80, 2, "redis-1", hash, `error "NOSCRIPT none"`), exchange(82, 2, "redis-1", source, "1"), // one
	)
	h := history.History{
		sample.Op(5, 1, history.Invoke, history.Acquire, 0), sample.Op(8, 2, history.Invoke, history.Acquire, 0), sample.Op(18, 2, history.Fail, history.Acquire, 0),
		sample.Op(22, 1, history.OK, history.Acquire, 1), sample.Op(50, 1, history.Invoke, history.Acquire, 0), sample.Op(62, 1, history.OK, history.Acquire, 2),
		sample.Op(70, 2, history.Invoke, history.Acquire, 0), sample.Op(90, 2, history.OK, history.Acquire, 3),
	}
	got, err := votes.Numbers(h, all)
	if err != nil {
		t.Fatal(err)
	}
	want := map[votes.Place]votes.Number{}
	for i, at := range []int64{9, 19} {
		text := []string{set, again}[i]
		want[votes.Place{Client: 1, Node: "redis-1", Text: text, Came: at * ms}] = votes.Number{Try: i + 1, Of: 2}
		want[votes.Place{Client: 1, Node: "redis-2", Text: text, Came: at * ms}] = votes.Number{Try: i + 1, Of: 2}
	}
	for i, at := range []int64{11, 13, 15} {
		want[votes.Place{Client: 2, Node: "redis-1", Text: other, Came: at * ms}] = votes.Number{Try: i + 1, Of: 3}
		want[votes.Place{Client: 2, Node: "redis-2", Text: other, Came: at * ms}] = votes.Number{Try: i + 1, Of: 3}
	}
	for p, n := range want {
		if got[p] != n {
			t.Errorf("%v is %v, want %v", p, got[p], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d requests have numbers, want %d: %v", len(got), len(want), got)
	}
}
