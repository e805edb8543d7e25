package votes_test

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/internal/sample"
	"locktorture/report/votes"
)

// said by a client to a server, and answered a ms later.
func exchange(at int64, client int, node, request, reply string) []votes.Message {
	return []votes.Message{
		{Client: client, Node: node, Text: request, Came: (at - 1) * ms, Left: (at - 1) * ms},
		{Client: client, Node: node, Reply: true, Text: reply, Of: request, Came: at * ms, Left: at * ms},
	}
}

func round(at int64, client int, request string, replies ...string) (all []votes.Message) {
	for i, reply := range replies {
		all = append(all, exchange(at, client, "redis-"+string(rune('1'+i)), request, reply)...)
	}
	return all
}

// grantOf returns the history of one grant, and an anomaly that names it.
func grantOf(called, granted int64, client int) (checker.Anomaly, history.History) {
	call, ok := sample.Op(called, client, history.Invoke, history.Acquire, 0), sample.Op(granted, client, history.OK, history.Acquire, 7)
	ok.Value = "p0:valueOne" // as the history names an owner whose process is known from the traffic alone
	return checker.Anomaly{Ops: []history.Op{ok}}, history.History{call, ok}
}

// A client that counts the votes of a try that it has given up: each try is told with its
// answers, and which of them the grant came of.
func TestWitnessOfALateVote(t *testing.T) {
	const set, release = "SET lock:L valueOne px 500 nx", `EVALSHA release script("if get == ARGV then del") keys lock:L args valueOne`
	all := round(10, 1, set, "nil", "nil", "OK", "nil", "OK")
	all = append(all, round(60, 1, release, "0", "0", "1", "0", "1")...)
	all = append(all, round(80, 1, set, "nil", "nil", "nil", "nil", "nil")...)
	all = append(all, round(90, 1, set, "nil", "nil", "nil", "nil", "nil")...)
	all = append(all, round(100, 1, set, "OK", "OK", "OK", "OK", "OK")...)
	all = append(all, round(102, 1, release, "1", "1", "1", "1", "1")...)
	all = append(all, round(120, 1, set, "nil", "nil", "nil", "nil", "nil")...)
	a, h := grantOf(5, 122, 1)
	servers := []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"}
	got, err := votes.Witness(a, h, servers, said(all))
	if err != nil {
		t.Fatal(err)
	}
	want := `how c1 got lease 7 of L:
  try 1, 0.009 s: redis-1 nil, redis-2 nil, redis-3 OK, redis-4 nil, redis-5 OK → 2 of 5, deleted again from 0.059 s on
  tries 2 to 3, 0.079 s to 0.089 s: redis-1 nil, redis-2 nil, redis-3 nil, redis-4 nil, redis-5 nil → 0 of 5
  try 4, 0.099 s: 5 of 5 OK, deleted again from 0.101 s on
  try 5, 0.119 s: redis-1 nil, redis-2 nil, redis-3 nil, redis-4 nil, redis-5 nil → 0 of 5, and c1 was granted the lock
  c1 was granted the lock although its last try had only 0 of 5 votes: the client also counted votes of its try 4, whose keys it deleted from 0.101 s on`
	if text := strings.ReplaceAll(strings.Join(got, "\n"), "\u00a0", " "); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

// Whose last try has a majority has borrowed nothing, and a client that got the lock at once has
// no tries to tell of.
func TestWitnessOfAVote(t *testing.T) {
	const set = "SET lock:L valueOne px 500 nx"
	once := round(10, 1, set, "OK", "OK", "OK", "nil", "nil")
	twice := append(round(5, 1, set, "OK", "nil", "nil", "nil", "nil"), once...)
	twice = append(twice, round(30, 1, set, "nil", "nil", "nil", "nil", "nil")...) // after the grant: no try of its
	servers := []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"}
	a, h := grantOf(1, 12, 1)
	if got, err := votes.Witness(a, h, servers, said(once)); err != nil || got != nil {
		t.Errorf("at once: %q, %v", got, err)
	}
	got, err := votes.Witness(a, h, servers, said(twice))
	if err != nil || len(got) != 3 || strings.Contains(strings.Join(got, ""), "counted votes") {
		t.Errorf("twice: %q, %v", got, err)
	}
}

// Who renews a key by its name renews whatever lease it has: its own is nothing to tell of,
// another's is.
func TestWitnessOfARenewalByName(t *testing.T) {
	const renew = "PEXPIRE lock:L 500"
	all := exchange(10, 1, "redis-1", "SET lock:L valueOne px 500 nx", "OK")
	all = append(all, exchange(170, 1, "redis-1", renew, "1")...)
	own := len(all)
	all = append(all, exchange(700, 2, "redis-1", "SET lock:L two px 500 nx", "OK")...)
	all = append(all, exchange(760, 1, "redis-1", renew, "1")...)
	all = append(all, exchange(770, 1, "redis-1", renew, "1")...)
	a, h := grantOf(5, 12, 1)
	a.Ops = append(a.Ops, history.Op{Time: 900 * ms})
	got, err := votes.Witness(a, h, []string{"redis-1"}, said(all))
	want := "at 0.760 s, c1 renewed a key that c2 had held on redis-1 since 0.700 s: the request PEXPIRE lock:L 500 names only the key, and does not check who owns it"
	if err != nil || len(got) != 1 || strings.ReplaceAll(got[0], "\u00a0", " ") != want {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := votes.Witness(a, h, []string{"redis-1"}, said(all[:own])); err != nil || got != nil {
		t.Errorf("its own: %q, %v", got, err)
	}
	given := slices.Concat(all[:own], exchange(690, 1, "redis-1", "DEL lock:L", "1"), exchange(760, 2, "redis-1", renew, "1"))
	if got, err := votes.Witness(a, h, []string{"redis-1"}, said(given)); err != nil || got != nil {
		t.Errorf("nobody's: %q, %v", got, err)
	}
	if got, err := votes.Witness(a, h, []string{"redis-1"}, nil); err != nil || got != nil {
		t.Errorf("without a recording: %q, %v", got, err)
	}
}
