package owner_test

import (
	"slices"
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/internal/resp"
	"locktorture/wire/owner"
)

// A story is a run without faults, told to a Learner: what a client has sent, and what the
// server has then; or "grant" or "release".
type step struct {
	client  int
	words   string
	has     string
	outcome history.F
}

func sent(client int, words, has string) step { return step{client: client, words: words, has: has} }
func done(client int, f history.F) step       { return step{client: client, outcome: f} }

func learn(t *testing.T, story []step) (*owner.Look, string) {
	t.Helper()
	l := owner.NewLearner(1)
	for _, s := range story {
		if s.outcome != "" {
			l.Recorded(history.Op{Client: s.client, Type: history.OK, F: s.outcome})
			continue
		}
		if err := l.Served(s.client, 1, resp.Append(nil, strings.Fields(s.words)...), []byte(s.has)); err != nil {
			t.Fatal(err)
		}
	}
	return l.Look()
}

func text(key, value string) string {
	return `[{"key":"` + key + `","kind":"string","has":["` + value + `"]}]`
}

// turns has two clients hold a lock twice, each by the same two commands.
func turns(take, has, free string) (story []step) {
	for n := range 4 {
		client, v := n%2+1, "v"+string(rune('0'+n))
		fill := strings.NewReplacer("@", v).Replace
		story = append(story, sent(client, fill(take), fill(has)), done(client, history.Acquire), sent(client, "DEL job", fill(free)), done(client, history.Release))
	}
	return story
}

// TestLearn: the key that names the holder is found, and where there is none the reason is told.
func TestLearn(t *testing.T) {
	for name, tt := range map[string]struct {
		story []step
		key   string
		hash  bool
		take  owner.Take
		why   string
	}{
		"set":    {story: turns("SET job @ NX PX 500", text("job", "@"), "{}"), key: "job", take: owner.Take{Command: "SET", Word: 2}},
		"field":  {story: turns("HINCRBY job @ 1", `[{"key":"job","kind":"hash","has":["@"]}]`, "{}"), key: "job", hash: true, take: owner.Take{Command: "HINCRBY", Word: 2}},
		"script": {story: turns("EVALSHA AB12 1 job 500 @", text("job", "@"), "{}"), key: "job", take: owner.Take{Command: "EVAL ab12", Word: 5}},
		"handed over": {story: slices.Concat(turns("SET job @ NX PX 500", text("job", "@"), "{}"), []step{
			sent(2, "RPUSH queue w job", "{}"), sent(1, "EVAL hand 1 job", text("job", "w")), done(2, history.Acquire),
		}), key: "job", take: owner.Take{Command: "RPUSH", Word: 2}},
		// A counter names nobody, nor does a text that all clients write.
		"counter":  {story: turns("INCR job", text("job", "1"), "{}"), why: "its value comes from no client"},
		"constant": {story: turns("SET job locked NX", text("job", "locked"), "{}"), why: "several clients give it the same value"},
		// The last holder, which stays, is not the present one.
		"last":    {story: turns("SET job @", text("job", "@"), text("job", "@")), why: "it names a client that has released the lock"},
		"nothing": {story: turns("PING @", "{}", "{}"), why: "keeps nothing on its servers"},
		"list":    {story: turns("LPUSH job @", `[{"key":"job","kind":"list","has":{}}]`, "{}"), why: "keeps nothing on its servers"},
		"seldom":  {story: turns("SET job @ NX PX 500", text("job", "@"), "{}")[:4], why: "too little happened"},
	} {
		look, why := learn(t, tt.story)
		switch {
		case tt.why != "":
			if look != nil || !strings.Contains(why, tt.why) {
				t.Errorf("%s: %+v, %q, want %q", name, look, why, tt.why)
			}
		case look == nil || look.Key != tt.key || look.Hash != tt.hash || !slices.Contains(look.Takes, tt.take):
			t.Errorf("%s: %+v, %q", name, look, why)
		}
	}
}

// TestNames: what a server keeps is named by the process that had sent it first, and a grant by
// what its client last asked with.
func TestNames(t *testing.T) {
	n := owner.New(owner.Look{Key: "job", Takes: []owner.Take{{Command: "SET", Word: 2}}})
	requests, replies := n.Tap(1).Connect(cluster.Way{Client: 1})
	if replies != nil {
		t.Error("what servers say names nobody")
	}
	call := func(f history.F, kind history.Type, process int, value string) string {
		return n.Named(history.Op{Client: 1, Process: process, F: f, Type: kind, Value: value}).Value
	}
	probe := func(value string) string {
		return n.Named(history.Op{Process: history.Harness, F: history.Probe, Type: history.Info, Value: value}).Value
	}
	call(history.Acquire, history.Invoke, 7, "")
	all := resp.Append(resp.Append(nil, "SET", "other", "x"), "SET", "job", "secret", "NX")
	for _, b := range all { // in pieces
		requests.Enter([]byte{b})
	}
	if got := call(history.Acquire, history.OK, 7, ""); got != "p7:secret" {
		t.Errorf("the grant is %q's", got)
	}
	if got := call(history.Try, history.OK, 7, "secret"); got != "p7:secret" {
		t.Errorf("the grant that tells its owner is %q's", got)
	}
	call(history.Acquire, history.Invoke, 9, "")
	requests.Enter(resp.Append(nil, "SET", "job", "secret"))
	if got := call(history.Acquire, history.OK, 9, ""); got != "p7:secret" {
		t.Errorf("a value used again is %q's", got)
	}
	for value, want := range map[string]string{"secret": "p7:secret", "x": "x", "": ""} {
		if got := probe(value); got != want {
			t.Errorf("the server has %q: %q, want %q", value, got, want)
		}
	}
	if got := (*owner.Names)(nil).Named(history.Op{F: history.Probe, Value: "x"}).Value; got != "x" {
		t.Errorf("without names: %q", got)
	}
}
