package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/timeline"
)

// A story is a history that is told in milliseconds. Client n is process n-1.
type story struct{ ops history.History }

func (s *story) add(ms int64, op history.Op) *story {
	op.Time = ms * 1e6
	if op.Type == "" {
		op.Type = history.Info
	}
	s.ops = append(s.ops, op)
	return s
}

// job adds what was seen of a run. began is the earliest time of it; 0: the same.
func (s *story) job(ms int64, client int, run int64, mode, key string, began int64) *story {
	return s.add(ms, history.Op{Process: client - 1, Client: client, F: history.Job, Lock: "payout", Lease: run, Mode: mode, Key: key, Value: "event", UntilMin: began * 1e6})
}

func (s *story) begin(ms int64, client int, run int64, key string) *story {
	return s.job(ms, client, run, history.JobBegin, key, 0)
}

func (s *story) end(ms int64, client int, run int64, key string) *story {
	return s.job(ms, client, run, history.JobEnd, key, 0)
}

// effect adds a try and its effect.
func (s *story) effect(tried, done int64, client int, run int64, key string) *story {
	return s.job(tried, client, run, history.JobTry, key, 0).job(done, client, run, history.JobEffect, key, tried)
}

// passed adds a try that was seen on a link.
func (s *story) passed(ms int64, client int, run int64, key string) *story {
	return s.job(ms, client, run, history.JobTry, key, 0).wire()
}

// around adds a connection past the links.
func (s *story) around(ms int64, client int) *story {
	return s.add(ms, history.Op{Process: client - 1, Client: client, F: history.Job, Mode: history.JobAround, Key: "redis-1"})
}

// wire makes the last entry one that was seen on a link.
func (s *story) wire() *story {
	s.ops[len(s.ops)-1].Value = "redis"
	return s
}

// token adds a fencing token to the last entry.
func (s *story) token(t uint64) *story {
	s.ops[len(s.ops)-1].Token = t
	return s
}

func (s *story) refused(ms int64, client int, run int64, key string) *story {
	s.job(ms, client, run, history.JobEffect, key, 0)
	s.ops[len(s.ops)-1].Refused = history.ByStore
	return s
}

func (s *story) asked(ms int64, key string) *story {
	return s.add(ms, history.Op{Process: history.Harness, F: history.Job, Lock: "payout", Mode: history.JobAsked, Key: key})
}

// buffered makes the last entry a line that was read some unknown time after it was printed.
func (s *story) buffered() *story {
	op := &s.ops[len(s.ops)-1]
	op.Value, op.UntilMin = "line", 1
	return s
}

// noMore ends the load.
func (s *story) noMore(ms int64) *story {
	return s.add(ms, history.Op{Process: history.Harness, F: history.Job, Mode: history.JobOver})
}

func (s *story) crash(ms int64, client int, sent int64) *story {
	return s.add(ms, history.Op{Process: client - 1, Client: client, F: history.Crash, UntilMin: sent * 1e6})
}

func (s *story) fault(ms int64, n int, f history.F) *story {
	return s.add(ms, history.Op{Process: history.Nemesis, F: f, Key: "partition", Fault: n, Traits: &history.FaultTraits{Effect: history.Cut}})
}

// of makes what is told one of another job.
func (s *story) of(job string, tell func(*story)) *story {
	n := len(s.ops)
	tell(s)
	for i := n; i < len(s.ops); i++ {
		s.ops[i].Lock = job
	}
	return s
}

// over ends the history.
func (s *story) over(ms int64) history.History {
	s.add(ms, history.Op{Process: history.Harness, F: history.Stall, UntilMin: ms*1e6 - 1})
	return s.add(ms, history.Op{Process: history.Harness, F: history.End, Value: history.Complete}).ops
}

func tell() *story { return &story{} }

var (
	alone        = timeline.Job{Name: "payout", OneAtATime: timeline.OneRun, Ends: true}
	once         = timeline.Job{Name: "payout", OnceEachKey: true, Ends: true}
	kept         = timeline.Job{Name: "payout", NoneLost: true, Ends: true}
	keptByEffect = timeline.Job{Name: "payout", NoneLost: true, Effects: true}

	keptInWhole = timeline.Job{Name: "payout", NoneLost: true, Effects: true, Ends: true}

	spanned     = timeline.Job{Name: "payout", OneAtATime: timeline.OneRun, Ends: true, Spans: true}
	spannedOnce = timeline.Job{Name: "payout", OnceEachKey: true, Ends: true, Spans: true}

	again = timeline.Job{Name: "payout", AgainWithin: 10 * time.Second, Ends: true}
)

// TestJobs has a history on either side of each border.
func TestJobs(t *testing.T) {
	perKey := alone
	perKey.OneAtATime = timeline.OneRunPerKey
	for _, c := range []struct {
		name  string
		job   timeline.Job
		h     history.History
		found map[string]int
		grade checker.Grade
	}{
		{"one after another", alone, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").begin(20, 2, 2, "b").end(30, 2, 2, "b").over(40), nil, checker.Safe},
		{"together", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(20, 1, 1, "a").end(30, 2, 2, "b").over(40), map[string]int{"ran-together": 1}, checker.Unsafe},
		{"together, other keys", perKey, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(20, 1, 1, "a").end(30, 2, 2, "b").over(40), nil, checker.Safe},
		{"together, the same key", perKey, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "a").end(20, 1, 1, "a").end(30, 2, 2, "a").over(40), map[string]int{"ran-together": 1}, checker.Unsafe},
		{"together, and only the ends have keys", perKey, tell().begin(10, 1, 1, "").begin(19, 2, 2, "").end(20, 1, 1, "a").end(30, 2, 2, "b").over(40), nil, checker.Safe},
		{"together, and only the effects have keys", perKey, tell().begin(10, 1, 1, "").begin(19, 2, 2, "").passed(20, 2, 2, "b").job(21, 2, 2, history.JobEffect, "b", 20).end(22, 2, 2, "").passed(23, 1, 1, "a").job(24, 1, 1, history.JobEffect, "a", 23).end(30, 1, 1, "").over(40), nil, checker.Safe},
		{"together, and no keys", perKey, tell().begin(10, 1, 1, "").begin(19, 2, 2, "").end(20, 1, 1, "").end(30, 2, 2, "").over(40), nil, checker.Unknown},
		{"together, and one of them without a key", perKey, tell().begin(10, 1, 1, "").begin(19, 2, 2, "b").end(20, 1, 1, "").end(30, 2, 2, "b").over(40), nil, checker.Unknown},
		{"a replica beside itself", alone, tell().begin(10, 1, 1, "a").begin(19, 1, 2, "b").end(20, 1, 1, "a").end(30, 1, 2, "b").over(40), nil, checker.Safe},
		{"the end may be older than it was read", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").job(20, 1, 1, history.JobEnd, "a", 18).end(30, 2, 2, "b").over(40), nil, checker.Unknown},
		{"a whole run was read late, beside another one", alone, tell().begin(10, 2, 1, "b").job(12, 1, 2, history.JobBegin, "a", 5).job(12, 1, 2, history.JobEnd, "a", 5).end(30, 2, 1, "b").over(40), nil, checker.Unknown},
		{"a begin was read late, beside another run", alone, tell().begin(10, 2, 1, "b").job(12, 1, 2, history.JobBegin, "a", 5).crash(13, 1, 0).end(30, 2, 1, "b").over(40), nil, checker.Unknown},
		{"a begin was read late, and its end is later", alone, tell().begin(10, 2, 1, "b").job(12, 1, 2, history.JobBegin, "a", 5).job(14, 1, 2, history.JobEnd, "a", 12).end(30, 2, 1, "b").over(40), map[string]int{"ran-together": 1}, checker.Unsafe},
		{"no end was seen", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(30, 2, 2, "b").over(40), nil, checker.Unknown},
		{"the other was killed before", alone, tell().begin(10, 1, 1, "a").crash(20, 1, 18).begin(20, 2, 2, "b").end(30, 2, 2, "b").over(40), nil, checker.Safe},

		{"the other was asked to end, and took its time", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(25, 2, 2, "b").crash(30, 1, 12).over(40), nil, checker.Unknown},
		{"no begin was seen", alone, tell().end(20, 1, 1, "a").end(30, 2, 2, "b").over(40), nil, checker.Unknown},
		{"lines that were buffered", alone, tell().begin(10, 1, 1, "a").buffered().end(20, 1, 1, "a").begin(25, 2, 2, "b").end(30, 2, 2, "b").over(40), nil, checker.Unknown},

		{"round its link, and cut", alone, tell().begin(10, 1, 1, "a").around(12, 1).fault(13, 1, history.Fault).end(20, 1, 1, "a").fault(21, 1, history.Heal).over(40), nil, checker.Unknown},
		{"round its link, and nothing cut", alone, tell().begin(10, 1, 1, "a").around(12, 1).end(20, 1, 1, "a").over(40), nil, checker.Safe},
		{"round its link, and together", alone, tell().around(5, 1).fault(6, 1, history.Fault).fault(7, 1, history.Heal).begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(20, 1, 1, "a").end(30, 2, 2, "b").over(40), map[string]int{"ran-together": 1}, checker.Unsafe},

		{"once", once, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").begin(20, 2, 2, "b").end(30, 2, 2, "b").over(40), nil, checker.Safe},
		{"twice", once, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").begin(20, 2, 2, "a").end(30, 2, 2, "a").over(40), map[string]int{"ran-twice": 1}, checker.Unsafe},
		{"begun twice, done once", once, tell().begin(10, 1, 1, "a").crash(15, 1, 14).begin(20, 2, 2, "a").end(30, 2, 2, "a").over(40), nil, checker.Safe},
		{"two effects", once, tell().begin(10, 1, 1, "a").effect(11, 12, 1, 1, "a").end(20, 1, 1, "a").begin(20, 2, 2, "a").effect(21, 22, 2, 2, "a").over(40), map[string]int{"ran-twice": 1}, checker.Unsafe},
		{"the second was refused", once, tell().begin(10, 1, 1, "a").effect(11, 12, 1, 1, "a").end(20, 1, 1, "a").begin(20, 2, 2, "a").refused(22, 2, 2, "a").over(40), nil, checker.Safe},

		{"a stale effect", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").effect(20, 21, 2, 2, "b").effect(22, 23, 1, 1, "a").over(40),
			map[string]int{"ran-together": 1, "stale-effect": 1}, checker.Unsafe},
		{"the server refused every effect", once, tell().passed(10, 1, 1, "a").refused(12, 1, 1, "a").passed(20, 2, 2, "b").refused(22, 2, 2, "b").over(40), nil, checker.Unknown},
		{"a stale effect that was refused", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").effect(20, 21, 2, 2, "b").job(22, 1, 1, history.JobTry, "a", 0).refused(23, 1, 1, "a").over(40),
			map[string]int{"ran-together": 1}, checker.FencedG},
		{"the older token began last", alone, tell().begin(10, 2, 1, "b").token(2).begin(19, 1, 2, "a").token(1).passed(20, 2, 1, "b").job(21, 2, 1, history.JobEffect, "b", 20).passed(22, 1, 2, "a").over(40), nil, checker.Unknown},
		{"the store refused what began last", alone, tell().begin(10, 2, 1, "b").begin(19, 1, 2, "a").passed(20, 2, 1, "b").job(21, 2, 1, history.JobEffect, "b", 20).passed(22, 1, 2, "a").refused(23, 1, 2, "a").over(40), nil, checker.FencedG},
		{"the store did not refuse what began last", alone, tell().begin(10, 2, 1, "b").begin(19, 1, 2, "a").passed(20, 2, 1, "b").job(21, 2, 1, history.JobEffect, "b", 20).passed(22, 1, 2, "a").job(23, 1, 2, history.JobEffect, "a", 22).over(40), map[string]int{"stale-effect": 1}, checker.Unsafe},
		{"a try of which nobody heard again", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").effect(20, 21, 2, 2, "b").passed(22, 1, 1, "a").over(40), nil, checker.Unknown},
		{"an effect on a link, before the next run", alone, tell().begin(10, 1, 1, "a").passed(11, 1, 1, "a").refused(12, 1, 1, "a").begin(19, 2, 2, "b").end(20, 1, 1, "a").over(40), nil, checker.Safe},
		{"an effect that was told late", alone, tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").effect(20, 21, 2, 2, "b").job(23, 1, 1, history.JobEffect, "a", 0).over(40), nil, checker.Unknown},
		{"an effect before the next run", alone, tell().begin(10, 1, 1, "a").effect(11, 12, 1, 1, "a").begin(19, 2, 2, "b").effect(20, 21, 2, 2, "b").end(30, 1, 1, "a").over(40), nil, checker.Safe},

		{"a stale effect of lines", alone, tell().job(10, 1, 1, history.JobBegin, "a", 9).job(19, 2, 2, history.JobBegin, "b", 18).passed(22, 1, 1, "a").job(23, 1, 1, history.JobEffect, "a", 22).job(30, 1, 3, history.JobBegin, "a", 25).over(40),
			map[string]int{"stale-effect": 1}, checker.Unsafe},
		{"an effect of a run whose begin was read late", alone, tell().job(10, 1, 1, history.JobBegin, "a", 9).job(19, 2, 2, history.JobBegin, "b", 18).passed(22, 1, 1, "a").job(23, 1, 1, history.JobEffect, "a", 22).job(24, 1, 3, history.JobBegin, "a", 21).over(40), nil, checker.Unknown},
		{"the other run may have begun first", alone, tell().job(12, 1, 1, history.JobBegin, "a", 11).job(15, 2, 2, history.JobBegin, "b", 5).job(15, 2, 2, history.JobEnd, "b", 5).passed(20, 1, 1, "a").job(21, 1, 1, history.JobEffect, "a", 20).end(25, 1, 1, "a").over(40), nil, checker.Unknown},

		{"asked and done", kept, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").over(40), nil, checker.Safe},
		{"asked and never begun", kept, tell().asked(5, "a").asked(6, "b").begin(10, 1, 1, "a").end(20, 1, 1, "a").over(40), map[string]int{"lost": 1}, checker.Safe},
		{"asked, and its effect may have gone round the links", keptByEffect, tell().asked(5, "a").asked(6, "b").around(8, 1).begin(10, 1, 1, "a").passed(11, 1, 1, "a").job(12, 1, 1, history.JobEffect, "a", 11).wire().over(40), nil, checker.Unknown},
		{"asked, and its effect went by the links", keptByEffect, tell().asked(5, "a").asked(6, "b").begin(10, 1, 1, "a").passed(11, 1, 1, "a").job(12, 1, 1, history.JobEffect, "a", 11).wire().over(40), map[string]int{"lost": 1}, checker.Safe},
		{"asked, and its run ended untold", kept, tell().asked(5, "a").begin(10, 1, 1, "a").crash(20, 1, 19).over(40), nil, checker.Unknown},

		{"asked, and its run may have ended unseen with its process", keptByEffect, tell().asked(5, "a").asked(6, "b").job(12, 2, 1, history.JobEffect, "a", 0).crash(20, 1, 19).over(40), nil, checker.Unknown},
		{"asked in the last moment", kept, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").asked(1_999, "b").over(2_000), nil, checker.Unknown},
		{"asked in the last moment, but the load had ended", kept, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").asked(1_900, "b").noMore(1_901).over(2_000), map[string]int{"lost": 1}, checker.Safe},

		{"asked, and at work on it when the run ended", keptInWhole, tell().asked(5, "a").asked(6, "b").begin(10, 1, 1, "a").effect(11, 12, 1, 1, "a").end(20, 1, 1, "a").begin(39, 1, 2, "b").over(40), nil, checker.Unknown},
		{"asked, and its run was left without a word", keptInWhole, tell().asked(5, "a").asked(6, "b").begin(8, 1, 2, "b").begin(10, 1, 1, "a").effect(11, 12, 1, 1, "a").end(20, 1, 1, "a").over(40), map[string]int{"lost": 1}, checker.Safe},
		{"asked, and only the end has its key", kept, tell().asked(5, "a").begin(10, 1, 1, "").end(20, 1, 1, "a").over(40), nil, checker.Safe},
		{"asked, and its effect has no key", keptByEffect, tell().asked(5, "a").begin(10, 1, 1, "a").effect(11, 12, 1, 1, "").end(20, 1, 1, "a").over(40), nil, checker.Safe},
		{"asked, and the effect of another run has no key", keptByEffect, tell().asked(5, "a").asked(6, "b").begin(10, 1, 1, "a").effect(11, 12, 1, 1, "").end(20, 1, 1, "a").over(40), map[string]int{"lost": 1}, checker.Safe},
		{"asked, and an effect without a key may be of either run", keptByEffect, tell().asked(5, "a").asked(6, "b").begin(9, 1, 1, "a").begin(10, 1, 2, "b").effect(11, 12, 1, 2, "").end(20, 1, 1, "a").end(21, 1, 2, "b").over(40), nil, checker.Unknown},

		{"again in time", again, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").begin(11_000, 2, 2, "b").end(11_020, 2, 2, "b").over(22_000), nil, checker.Safe},
		{"again too late", again, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").begin(11_021, 2, 2, "b").end(11_030, 2, 2, "b").over(22_000), map[string]int{"stuck": 1}, checker.Safe},
		{"the replicas were ready late", again, tell().begin(21_000, 1, 1, "a").end(21_020, 1, 1, "a").over(22_000), nil, checker.Safe},
		{"a fault meanwhile", again, tell().begin(10, 1, 1, "a").end(20, 1, 1, "a").fault(5_000, 1, history.Fault).fault(6_000, 1, history.Heal).begin(11_021, 2, 2, "b").end(11_030, 2, 2, "b").over(22_000), nil, checker.Safe},
		{"asked for later, and never begun", again, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").asked(500, "b").over(22_000), map[string]int{"stuck": 1}, checker.Safe},
		{"asked for shortly before the end", again, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").asked(11_001, "b").over(22_000), nil, checker.Safe},
		{"nobody asked for more", again, tell().asked(5, "a").begin(10, 1, 1, "a").end(20, 1, 1, "a").over(22_000), nil, checker.Safe},
		{"a long run", again, tell().begin(10, 1, 1, "a").end(20_000, 1, 1, "a").over(22_000), nil, checker.Safe},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := history.Validate(c.h); err != nil {
				t.Fatal(err)
			}
			r := checker.Check(c.h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{c.job}, TTL: 2 * time.Millisecond, MinGrants: 1}, nil)
			found := map[string]int{}
			for kind, n := range r.Counts.Anomalies {
				found[kind] = n
			}
			if c.found == nil {
				c.found = map[string]int{}
			}
			if d := cmp.Diff(c.found, found); d != "" || r.Grade != c.grade {
				t.Errorf("%s: %s, want %s\n%s", r.Grade, r.Sentence, c.grade, d)
			}
			if failed := c.grade == checker.Unsafe || c.found["lost"]+c.found["stuck"] > 0; r.Failed != failed {
				t.Errorf("failed %v: %s", r.Failed, r.Sentence)
			}
		})
	}
}

// span adds a run that was seen by a span: from and to are the stamps of the replica's own clock. The
// process of client 1 was started at 1 ms, that of client 2 at 30 ms.
func (s *story) span(ms int64, client int, run, from, to int64) *story {
	started := map[int]int64{1: 1, 2: 30}[client]
	for i, mode := range []string{history.JobBegin, history.JobEnd} {
		s.job(ms, client, run, mode, "a", started)
		op := &s.ops[len(s.ops)-1]
		op.Value, op.UntilMax = history.BySpan, []int64{from, to}[i]*1e6
	}
	return s
}

// jumped makes the last stamp one of a clock that has jumped.
func (s *story) jumped() *story {
	s.ops[len(s.ops)-1].UntilMax = history.Never
	return s
}

// failed makes the last run one that says it failed.
func (s *story) failed() *story {
	s.ops[len(s.ops)-1].Error = "the span has the status error"
	return s
}

// moved adds a fault of the clock of a client; 0: of a server.
func (s *story) moved(ms int64, client int) *story {
	return s.add(ms, history.Op{Process: history.Nemesis, Client: client, F: history.Fault, Key: "client-clock", Fault: 1, Traits: &history.FaultTraits{Effect: history.Skewed}})
}

// warm has a span of each of two replicas, after which their clocks are known to be ahead by 0 to 1 ms.
func warm() *story { return tell().span(20, 1, 1, 2, 20).span(40, 2, 2, 31, 40) }

// TestSpans: of runs that were seen by spans nothing is claimed that a clock could have made up.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name  string
		job   timeline.Job
		h     *story
		found map[string]int
		grade checker.Grade
	}{
		{"apart", spanned, warm().span(200, 1, 3, 100, 200).span(300, 2, 4, 201, 290), nil, checker.Safe},
		{"together", spanned, warm().span(200, 2, 4, 110, 150).span(201, 1, 3, 100, 200), map[string]int{"ran-together": 1}, checker.Unsafe},
		{"together by no more than the clocks", spanned, warm().span(200, 1, 3, 100, 200).span(300, 2, 4, 200, 290), nil, checker.Unknown},
		{"a clock that is 2 s ahead", spanned, tell().span(20, 1, 1, 2, 20).span(2071, 1, 3, 2040, 2070).span(5000, 2, 2, 2050, 2060), nil, checker.Unknown},
		{"a clock that was seen to be 2 s ahead", spanned, tell().span(20, 1, 1, 2, 20).span(61, 2, 2, 2050, 2060).span(2071, 1, 3, 2040, 2070), nil, checker.Safe},
		{"together on a clock that was moved", spanned, warm().moved(50, 2).span(200, 2, 4, 110, 150).span(201, 1, 3, 100, 200), nil, checker.Unknown},
		{"together beside a server whose clock was moved", spanned, warm().moved(50, 0).span(200, 2, 4, 110, 150).span(201, 1, 3, 100, 200), map[string]int{"ran-together": 1}, checker.Unsafe},
		{"together while the machine's clock jumped", spanned, warm().span(200, 2, 4, 110, 150).jumped().span(201, 1, 3, 100, 200), nil, checker.Unknown},
		{"together on a clock that went back", spanned, warm().span(200, 2, 4, 110, 150).span(201, 1, 3, 100, 200).span(202, 1, 5, 0, 1), nil, checker.Unknown},
		{"a replica was killed", spanned, tell().span(20, 1, 1, 2, 20).crash(25, 1, 24).span(40, 2, 2, 31, 40), nil, checker.Unknown},
		{"twice", spannedOnce, tell().span(20, 1, 1, 2, 20).span(5000, 2, 2, 4000, 4001), map[string]int{"ran-twice": 1}, checker.Unsafe},
		{"the first failed", spannedOnce, tell().span(20, 1, 1, 2, 20).failed().span(5000, 2, 2, 4000, 4001), nil, checker.Safe},
	} {
		t.Run(c.name, func(t *testing.T) {
			ops := c.h.over(10_000)
			if err := history.Validate(ops); err != nil {
				t.Fatal(err)
			}
			r := checker.Check(ops, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{c.job}, MinGrants: 1}, nil)
			if d := cmp.Diff(c.found, r.Counts.Anomalies, cmpopts.EquateEmpty()); d != "" || r.Grade != c.grade {
				t.Errorf("%s: %s, want %s\n%s", r.Grade, r.Sentence, c.grade, d)
			}
		})
	}
}

// TestBites: a delay takes effect while any replica is at work, a stop only on one that is.
func TestBites(t *testing.T) {
	for effect, want := range map[history.Effect]int{history.Slowed: 1, history.Held: 1, history.Stopped: 0, history.Skewed: 0} {
		fault := history.Op{Process: history.Nemesis, Client: 2, F: history.Fault, Key: "fault", Fault: 1, Traits: &history.FaultTraits{Effect: effect}}
		heal := fault
		heal.F = history.Heal
		ops := tell().begin(10, 1, 1, "a").add(12, fault).add(14, heal).end(20, 1, 1, "a").over(40)
		r := checker.Check(ops, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{alone}, MinGrants: 1, Nemeses: []string{"fault"}}, nil)
		if len(r.Faults) != 1 || r.Faults[0].Bit != want {
			t.Errorf("%v: %+v", effect, r.Faults)
		}
	}
}

// TestOtherEffects: that a store refused an effect of one job excuses no overlap of another, whose effects
// nobody saw.
func TestOtherEffects(t *testing.T) {
	other := timeline.Job{Name: "report", OneAtATime: timeline.OneRun, Effects: true}
	h := tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b").end(20, 1, 1, "a").end(30, 2, 2, "b").of("report", func(s *story) {
		s.begin(32, 1, 3, "a").begin(34, 2, 4, "b").passed(36, 2, 4, "b").job(37, 2, 4, history.JobEffect, "b", 36).passed(38, 1, 3, "a").refused(39, 1, 3, "a")
	}).over(40)
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	r := checker.Check(h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{alone, other}, MinGrants: 1}, nil)
	if r.Grade != checker.Unsafe || r.Counts.Anomalies["ran-together"] == 0 {
		t.Errorf("%s, %v", r.Sentence, r.Counts.Anomalies)
	}
}

// TestUnanswered: where an answer is missing, the verdict does not blame the timestamps.
func TestUnanswered(t *testing.T) {
	h := tell().begin(10, 1, 1, "a").token(1).begin(19, 2, 2, "b").token(2).passed(20, 2, 2, "b").job(21, 2, 2, history.JobEffect, "b", 20).wire().passed(22, 1, 1, "a").crash(30, 1, 29).over(40)
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	r := checker.Check(h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{alone}, MinGrants: 1}, nil)
	if r.Grade != checker.Unknown || !strings.Contains(r.Sentence, "1 effect was requested after the next run had begun, and no answer shows the outcome") {
		t.Errorf("%s: %s", r.Grade, r.Sentence)
	}
}

// TestLostOnItsWay: an effect whose request never left its link does no harm, and leaves nothing open. If
// another request for the same key has no answer, the outcome is still unknown.
func TestLostOnItsWay(t *testing.T) {
	for name, tt := range map[string]struct {
		second bool
		want   checker.Grade
	}{"one try": {false, checker.Safe}, "two tries": {true, checker.Unknown}} {
		told := tell().begin(10, 1, 1, "a").token(1).begin(19, 2, 2, "b").token(2).passed(20, 2, 2, "b").job(21, 2, 2, history.JobEffect, "b", 20).wire().passed(22, 1, 1, "a")
		if tt.second {
			told.passed(23, 1, 1, "a")
		}
		h := told.job(24, 1, 1, history.JobLost, "a", 22).wire().crash(30, 1, 29).over(40)
		if err := history.Validate(h); err != nil {
			t.Fatal(err)
		}
		r := checker.Check(h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{alone}, MinGrants: 1}, nil)
		if r.Grade != tt.want {
			t.Errorf("%s: %s: %s", name, r.Grade, r.Sentence)
		}
	}
}

// TestNoEffectOnLinks: where effects are seen on links, a run that ended in an error before its effect did no
// harm. Where a replica went round its link, or no effect was seen on one, its end is unknown.
func TestNoEffectOnLinks(t *testing.T) {
	begun := func() *story { return tell().begin(10, 1, 1, "a").begin(19, 2, 2, "b") }
	links := func() *story {
		return begun().passed(20, 2, 2, "b").job(21, 2, 2, history.JobEffect, "b", 20).wire()
	}
	for name, tt := range map[string]struct {
		told *story
		want checker.Grade
	}{
		"on links":  {links(), checker.Safe},
		"around":    {links().around(22, 1), checker.Unknown},
		"by events": {begun().effect(20, 21, 2, 2, "b"), checker.Unknown},
	} {
		r := checker.Check(tt.told.over(40), timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{alone}, MinGrants: 1}, nil)
		if r.Grade != tt.want {
			t.Errorf("%s: %s: %s", name, r.Grade, r.Sentence)
		}
	}
}
