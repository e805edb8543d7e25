package votes_test

import (
	"strings"
	"testing"

	"locktorture/history"
	"locktorture/report/internal/sample"
	"locktorture/report/votes"
)

const ms = int64(1e6)

// granted returns a grant of the lock to a client, at a time in ms.
func granted(at int64, client int, owner string) votes.Grant {
	op := sample.Op(at, client, history.OK, history.Acquire, int64(client))
	op.Value = owner
	return votes.Grant{Call: sample.Op(at-10, client, history.Invoke, history.Acquire, 0), Answer: op}
}

// asks returns a client's request to a server, a ms before the reply; "" is no reply.
func asks(at int64, client int, node, owner, reply string) (out []votes.Message) {
	request := "SET lock:L " + owner + " NX PX 1000"
	out = append(out, votes.Message{Client: client, Node: node, Text: request, Came: (at - 1) * ms, Left: (at - 1) * ms})
	if reply != "" {
		out = append(out, votes.Message{Client: client, Node: node, Reply: true, Text: reply, Of: request, Came: at * ms, Left: at * ms})
	}
	return out
}

// said answers questions from a list of messages, as a recording does.
func said(all []votes.Message) votes.Traffic {
	return func(asked []votes.Question) ([][]votes.Message, error) {
		out := make([][]votes.Message, len(asked))
		for i, q := range asked {
			for _, m := range all {
				mentions := strings.Contains(m.Text, q.Word) || strings.Contains(m.Of, q.Word)
				if (q.Client == 0 || q.Client == m.Client) && mentions && q.From <= m.Came && m.Came <= q.To {
					out[i] = append(out[i], m)
				}
			}
		}
		return out, nil
	}
}

func look(at int64, node, owner string, until int64) history.Op {
	op := history.Op{Time: at * ms, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: node, Value: owner}
	op.SetExpiry(until * ms)
	return op
}

// TestLeft: what is known of each vote for c1 when c3 is granted the lock, from what others
// were told, from looks, and from faults.
func TestLeft(t *testing.T) {
	all := []votes.Message{}
	for _, n := range []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5", "redis-6", "redis-7"} {
		reply := "OK"
		if n == "redis-7" {
			reply = "nil"
		}
		all = append(all, asks(10, 1, n, "one", reply)...)
	}
	all = append(all, asks(20, 2, "redis-1", "two", "OK")...) // c2 came between, and c3 was refused because of it
	all = append(all, asks(30, 3, "redis-1", "three", "nil")...)
	all = append(all, asks(30, 3, "redis-2", "three", "OK")...)
	all = append(all, asks(30, 3, "redis-3", "three", "nil")...)
	all = append(all, asks(30, 3, "redis-4", "three", "error LOADING")...)
	all = append(all, asks(30, 3, "redis-5", "three", "")...)
	all = append(all, asks(30, 3, "redis-6", "three", "")...)
	ballots, err := votes.Ask([][]votes.Grant{{granted(12, 1, "one"), granted(32, 3, "three")}}, nil, said(all))
	if err != nil {
		t.Fatal(err)
	}
	fault := func(at int64, kind, node string, number int, traits history.FaultTraits) history.Op {
		return history.Op{Time: at * ms, F: history.Fault, Type: history.Info, Key: kind, Node: node, Fault: number, Traits: &traits, Value: "clocks of redis-1 tell +2.700 s, and back"}
	}
	f := votes.Faults{Struck: []history.Op{
		fault(15, "clock", "redis-1", 1, history.FaultTraits{Effect: history.Skewed}), fault(16, "restart", "redis-2,redis-3", 2, history.FaultTraits{Effect: history.Down}),
	}, Heals: map[int]history.Op{1: {Time: 18 * ms}, 2: {Time: 17 * ms}}}
	looks := []history.Op{look(25, "redis-4", "one", 900), look(25, "redis-5", "", 0), look(25, "redis-6", "one", 31)}
	got := ballots[0][0].Left(ballots[0][1], f, looks)
	want := "what remained of these votes when c3 was granted the lock: redis-1 gone (OK to c2, its clock was +2.700 s until 0.018 s), " +
		"redis-2 gone (OK to c3, restart at 0.016 s), redis-3 kept (nil to c3), redis-4 kept (seen at 0.025 s), redis-5 gone (seen at 0.025 s), redis-6 unknown → 2 of 6 kept, 1 unknown"
	if strings.ReplaceAll(got, "\u00a0", " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestScripts: of node-redlock's script it is known what a yes is, of another it is not.
func TestScripts(t *testing.T) {
	for script, want := range map[string]string{
		`EVALSHA script("Return 0 if an entry already exists.") keys lock:L args one 1000`: "redis-1 1, redis-2 1, redis-3 0 → 2 of 3",
		`EVALSHA script("local x = 1") keys lock:L args one 1000`:                          "redis-1 1, redis-2 1, redis-3 0",
		`SETNX lock:L one`: "redis-1 1, redis-2 1, redis-3 0 → 2 of 3",
	} {
		var all []votes.Message
		for n, reply := range map[string]string{"redis-1": "1", "redis-2": "1", "redis-3": "0"} {
			m := asks(10, 1, n, "one", reply)
			m[0].Text, m[1].Of = script, script
			all = append(all, m...)
		}
		ballots, err := votes.Ask([][]votes.Grant{{granted(12, 1, "one")}}, nil, said(all))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(ballots[0][0].Words(votes.Faults{}), "\u00a0", " "); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// TestWhoAsksAgain: what counts is the last request before the grant, not a refusal before it,
// nor what was asked afterwards.
func TestWhoAsksAgain(t *testing.T) {
	all := append(asks(5, 1, "redis-1", "one", "nil"), asks(10, 1, "redis-1", "one", "OK")...)
	all = append(append(all, asks(10, 1, "redis-2", "one", "nil")...), asks(20, 1, "redis-2", "one", "OK")...)
	ballots, err := votes.Ask([][]votes.Grant{{granted(12, 1, "one")}}, nil, said(all))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(ballots[0][0].Words(votes.Faults{}), "\u00a0", " "); got != "redis-1 OK, redis-2 nil → 1 of 2" {
		t.Error(got)
	}
}
