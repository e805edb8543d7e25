package invariant_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
)

func TestOnceInvariants(t *testing.T) {
	for _, tt := range []struct {
		name, part, kind, unit, sentence string
		inv                              checker.Invariant
	}{
		{"idempotent-submit", "request/7", "duplicate-execution", "executions", "request 7 was executed 3 times, by c1 at 0.001 s (lease 1), c2 at 0.002 s (lease 2) and c3", invariant.IdempotentSubmit{}},
		{"scheduler", "run/2026-11-21T02:00", "duplicate-run", "runs", "job 2026-11-21T02:00 ran 3 times, on c1", invariant.Scheduler{}},
		{"id-allocation", "id/0-5", "duplicate-id", "ids", "id 0-5 was made 3 times, by c1", invariant.IDAllocation{}},
		{"queue-consumer", "handled/7", "duplicate-delivery", "messages", "message 7 was handled 3 times, by c1", invariant.QueueConsumer{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judge(t, tt.inv, tt.unit, []invariantRow{
				{"once", []applied{{1, w, tt.part, "a"}, {2, r, tt.part, "a"}}, nil, checker.Loss{Of: 1}},
				{"twice", []applied{{1, w, tt.part, "a"}, {2, w, tt.part, "b"}}, map[string]int{tt.kind: 1}, checker.Loss{Lost: 1, Of: 2}},
				{"two things once each", []applied{{1, w, tt.part, "a"}, {2, w, tt.part + "9", "b"}}, nil, checker.Loss{Of: 2}},
			})
			found, _ := checker.Replayed(tt.inv, applies([]applied{{1, w, tt.part, "a"}, {2, w, tt.part, "b"}, {3, w, tt.part, "c"}}))
			if len(found) != 2 || !strings.Contains(found[1].Sentence, tt.sentence) {
				t.Errorf("%+v", found)
			}
		})
	}
}

func TestCacheRebuildInvariant(t *testing.T) {
	list := []applied{{1, r, "expiry", "1"}, {1, r, "database", "d"}, {2, r, "database", "d"}, {2, w, "cache/1", "b"}}
	judge(t, invariant.CacheRebuild{}, "rebuilds", []invariantRow{
		{"cut between the query and the cache", list, nil, checker.Loss{Of: 1, Note: "1 expiry caused 2 queries to the database"}},
		{"both fill the cache", append(list, applied{1, w, "cache/1", "a"}), map[string]int{"duplicate-rebuild": 1}, checker.Loss{Lost: 1, Of: 2, Note: "1 expiry caused 2 queries to the database"}},
	})
}

func TestSharedWorker(t *testing.T) {
	judge(t, invariant.IDAllocation{}, "ids", []invariantRow{
		{"cut after the range was reserved", []applied{{1, w, "worker/0", "3 a"}, {2, w, "worker/0", "5 b"}, {2, w, "id/0-3", "b"}}, nil, checker.Loss{Of: 1}},
		{"goes on after another became the worker", []applied{{1, w, "worker/0", "3 a"}, {1, w, "id/0-0", "a"}, {2, w, "worker/0", "5 b"}, {1, w, "id/0-1", "a"}, {1, w, "id/0-2", "a"}},
			map[string]int{"shared-worker": 1}, checker.Loss{Of: 3}},
		{"another worker is another's business", []applied{{1, w, "worker/0", "3 a"}, {2, w, "worker/1", "1 b"}, {1, w, "id/0-0", "a"}}, nil, checker.Loss{Of: 1}},
	})
}

func TestConfigRolloutInvariant(t *testing.T) {
	start := []applied{{0, w, "node/1", "0"}, {0, w, "version", "1"}}
	on := func(more ...applied) []applied { return append(start[:len(start):len(start)], more...) }
	judge(t, invariant.ConfigRollout{}, "steps", []invariantRow{
		{"step by step", on(applied{1, w, "node/1", "1"}, applied{2, w, "version", "2"}, applied{3, w, "node/1", "2"}), nil, checker.Loss{Of: 3}},
		{"again", on(applied{1, w, "node/1", "1"}, applied{2, w, "node/1", "1"}), map[string]int{"out-of-order": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"skipped", on(applied{1, w, "node/1", "2"}), map[string]int{"out-of-order": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"back", on(applied{1, w, "version", "2"}, applied{1, w, "version", "1"}), map[string]int{"out-of-order": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"no number", on(applied{1, w, "version", "x"}), map[string]int{"torn-write": 1}, checker.Loss{}},
	})
}

func TestFileAppendInvariant(t *testing.T) {
	first := []applied{{0, w, "end", "0"}, {1, w, "block/0", "a 1/2"}, {1, w, "block/1", "a 2/2"}, {1, w, "end", "2"}}
	on := func(more ...applied) []applied { return append(first[:len(first):len(first)], more...) }
	judge(t, invariant.FileAppend{}, "records", []invariantRow{
		{"two records", on(applied{2, w, "block/2", "b 1/1"}, applied{2, w, "end", "3"}), nil, checker.Loss{Of: 2}},
		{"what a cut left is overwritten", on(applied{2, w, "block/2", "b 1/2"}, applied{3, w, "block/2", "c 1/2"}, applied{3, w, "block/3", "c 2/2"}, applied{3, w, "end", "4"}), nil, checker.Loss{Of: 2}},
		{"interleaved", on(applied{2, w, "block/2", "b 1/2"}, applied{3, w, "block/2", "c 1/2"}, applied{3, w, "block/3", "c 2/2"}, applied{2, w, "block/3", "b 2/2"}, applied{2, w, "end", "4"}),
			map[string]int{"torn-write": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"of two records, under one lease", on(applied{2, w, "block/2", "b 1/2"}, applied{2, w, "block/3", "c 2/2"}, applied{2, w, "end", "4"}),
			map[string]int{"torn-write": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"overwritten", on(applied{2, w, "block/1", "b 1/2"}), map[string]int{"torn-write": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"the end goes back", on(applied{2, w, "end", "1"}), map[string]int{"lost-record": 1}, checker.Loss{Lost: 2, Of: 2}},
		{"a block is missing", on(applied{2, w, "end", "3"}), map[string]int{"torn-write": 1}, checker.Loss{Lost: 1, Of: 2}},
	})
}

func TestLeaderInvariant(t *testing.T) {
	judge(t, invariant.Leader{}, "actions", []invariantRow{
		{"one after another, the first cut short", []applied{{0, w, "leader", "nobody"}, {1, w, "leader", "a"}, {2, w, "leader", "b"}, {2, w, "action", "b 1"}},
			nil, checker.Loss{Of: 1, Note: "there was no leader for 100.0 % of the time, and for at most 1ms at a time"}},
		{"acts after its successor", []applied{{1, w, "leader", "a"}, {1, w, "action", "a 1"}, {2, w, "leader", "b"}, {1, w, "action", "a 2"}, {1, w, "action", "a 3"}, {2, w, "action", "b 1"}},
			map[string]int{"stale-leader": 1}, checker.Loss{Lost: 2, Of: 4, Note: "there was no leader for 50.0 % of the time, and for at most 1ms at a time"}},
	})
}

func TestSessionInvariant(t *testing.T) {
	const zero, cart, name, both = `{"cart":0,"name":0}`, `{"cart":1,"name":0}`, `{"cart":0,"name":1}`, `{"cart":1,"name":1}`
	judge(t, invariant.Session{}, "changes", []invariantRow{
		{"two fields", []applied{{0, w, "document", zero}, {1, w, "document", cart}, {2, w, "document", both}}, nil, checker.Loss{Of: 2}},
		{"a field lost", []applied{{0, w, "document", zero}, {1, w, "document", cart}, {2, w, "document", name}}, map[string]int{"lost-field": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"the same change twice", []applied{{0, w, "document", zero}, {1, w, "document", cart}, {2, w, "document", cart}}, map[string]int{"lost-field": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"no document", []applied{{0, w, "document", zero}, {1, w, "document", "{"}}, map[string]int{"torn-write": 1}, checker.Loss{}},
	})
}

func TestQueueOrder(t *testing.T) {
	judge(t, invariant.QueueConsumer{}, "messages", []invariantRow{
		{"in order, handled and then moved on by another", []applied{{1, w, "handled/1", "a"}, {2, w, "head", "2"}, {2, w, "handled/2", "b"}}, nil, checker.Loss{Of: 2}},
		{"overtaken", []applied{{1, w, "handled/2", "a"}, {2, w, "handled/1", "b"}}, map[string]int{"out-of-order": 1}, checker.Loss{Of: 2}},
	})
}

func TestRegisterInvariant(t *testing.T) {
	judge(t, invariant.Register{}, "sections", []invariantRow{
		{"reads back what it wrote", []applied{{0, w, "register", "i"}, {1, w, "register", "a"}, {1, r, "register", "a"}, {2, r, "register", "a"}, {2, r, "register", "a"}}, nil, checker.Loss{Of: 2}},
		{"reads another's", []applied{{1, w, "register", "a"}, {2, w, "register", "b"}, {1, r, "register", "b"}}, map[string]int{"foreign-value": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"two reads differ", []applied{{1, r, "register", "i"}, {2, w, "register", "b"}, {1, r, "register", "b"}}, map[string]int{"foreign-value": 1}, checker.Loss{Lost: 1, Of: 1}},
	})
}

func TestTransferInvariant(t *testing.T) {
	type step = struct {
		lease  int64
		lock   string
		accout string
	}
	const open, less, more = `{"balance":1000}`, `{"balance":900}`, `{"balance":1100}`
	const first, second = `{"balance":1000,"pending":{"id":"x","with":"B","balance":900,"first":true}}`, `{"balance":1000,"pending":{"id":"x","with":"A","balance":1100}}`
	for _, tt := range []struct {
		name  string
		steps []step
		wrong int
		of    int
	}{
		{"whole", []step{{1, "A", first}, {1, "B", second}, {1, "A", less}, {1, "B", more}}, 0, 1},
		{"cut after the first note, taken back", []step{{1, "A", first}, {2, "A", open}}, 0, 0},
		{"cut after both notes, gone on with", []step{{1, "A", first}, {1, "B", second}, {2, "A", less}, {2, "B", more}}, 0, 1},
		{"cut before the last write", []step{{1, "A", first}, {1, "B", second}, {1, "A", less}}, 0, 1},
		{"taken back although both had noted it", []step{{1, "A", first}, {1, "B", second}, {2, "A", open}}, 1, 1},
		{"an old balance written back", []step{{1, "A", first}, {1, "B", second}, {1, "A", less}, {1, "B", more}, {2, "B", open}}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := applies([]applied{{0, w, "account", open}, {0, w, "account", open}})
			for _, s := range tt.steps {
				list = append(list, applies([]applied{{s.lease, w, "account", s.accout}})[0])
				list[len(list)-1].Lock = s.lock
			}
			list[0].Lock, list[1].Lock = "A", "B"
			for i := range list {
				list[i].Key = list[i].Lock + "/account"
			}
			found, loss := checker.Replayed(invariant.Transfer{}, list)
			if len(found) != tt.wrong || loss.Of != tt.of || loss.Lost != tt.wrong {
				t.Errorf("%+v, %+v", found, loss)
			}
		})
	}
}

// Objects of one lock are judged each by itself, and keep their lock's name.
func TestPerKey(t *testing.T) {
	list := applies([]applied{
		{0, w, "k1/counter", "0"}, {0, w, "k2/counter", "0"},
		{1, w, "k1/counter", "1"}, {2, w, "k2/counter", "1"}, {3, w, "k2/counter", "1"},
	})
	found, loss := checker.Replayed(invariant.PerKey{Invariant: invariant.Counter{}}, list)
	if len(found) != 1 || found[0].Lock != "L" || found[0].Key != "L/k2/counter" || found[0].Ops[0].Lock != "L" {
		t.Errorf("%+v", found)
	}
	if want := (checker.Loss{Lost: 1, Of: 3, Unit: "updates"}); loss != want {
		t.Errorf("loss %+v, want %+v", loss, want)
	}
	plain := applies([]applied{{0, w, "counter", "0"}, {1, w, "counter", "1"}})
	if found, loss := checker.Replayed(invariant.PerKey{Invariant: invariant.Counter{}}, plain); len(found) != 0 || loss.Of != 1 {
		t.Errorf("one object: %+v, %+v", found, loss)
	}
}
