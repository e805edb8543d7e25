package rule

import (
	"fmt"
	"math"
	"testing"
	"time"

	"locktorture/checker/incident"
	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/timeline"
)

func acquire(call int64, ret *history.Op) *timeline.Call {
	return &timeline.Call{Inv: &history.Op{F: history.Acquire, Time: call, Mode: history.Permits, Permits: 2, Capacity: 3}, Ret: ret, Called: call}
}

// operationsOn are the operations of a model on a lock.
func operationsOn(t *testing.T, o timeline.Options, l *timeline.Lock, waits []*timeline.Call, reentries bool) ([]linear.Operation, []Source) {
	return (&nonlinearizable{base: based(emptyView(t, o))}).lockOperations(l, waits, reentries)
}

// TestClaim: for how long a grant is guaranteed to the model, and what it is of.
func TestClaim(t *testing.T) {
	claim := func(expires bool, mode string, l *timeline.Lease) linear.Operation {
		w := acquire(0, &history.Op{Time: 10, Type: history.OK})
		w.Inv.Mode, w.Lease = mode, l
		tr := translation{expires: expires}
		tr.wait(w)
		return tr.list[0]
	}
	told := leased(1, 10, 2000)
	told.Answers = []timeline.Answer{{At: 10, Min: 2000, Max: 2000, Op: nil}}
	check(t, []border{
		{"without end", claim(false, history.Permits, nil).TTL, int64(math.MaxInt64)},
		{"as long as it was told", claim(true, history.Permits, told).TTL, int64(1990)},
		{"nothing was told", claim(true, history.Permits, leased(1, 10, 2000)).TTL, int64(1)},
		{"not granted", claim(true, history.Permits, nil).TTL, int64(1)},
		{"permits", claim(true, history.Permits, nil).Permits, uint32(2)},
		{"no reader", claim(true, history.Permits, nil).Shared, false},
		{"a reader", claim(true, history.Shared, nil).Shared, true},
	})
}

// TestLockOperations: a lock that one holds alone knows no claims, and what never left its
// client is no operation.
func TestLockOperations(t *testing.T) {
	first := func(kind string) uint32 {
		list, _ := operationsOn(t, timeline.Options{Kind: kind}, &timeline.Lock{}, []*timeline.Call{acquire(0, nil)}, false)
		return list[0].Permits
	}
	unsent := acquire(5, &history.Op{Time: 6, Type: history.Fail, Refused: history.ByClient})
	list, _ := operationsOn(t, timeline.Options{}, &timeline.Lock{}, []*timeline.Call{acquire(0, nil), unsent}, true)
	check(t, []border{
		{"a mutex", first(""), uint32(0)},
		{"an election", first(timeline.ElectionKind), uint32(0)},
		{"a semaphore", first(locks.Semaphore), uint32(2)},
		{"operations", len(list), 1},
	})
}

// TestKilledInModel: a lease ends with the kill of its holder, not before its grant; a loss
// ends it where it was told.
func TestKilledInModel(t *testing.T) {
	end := func(change func(*timeline.Lease)) int64 {
		l := leased(1, 100, 900)
		change(l)
		var tr translation
		tr.lease(l)
		return tr.list[0].Call
	}
	crash := moment(500)
	check(t, []border{
		{"killed later", end(func(l *timeline.Lease) { l.Crash, l.Killed = crash, 300 }), int64(300)},
		{"granted after the kill was sent", end(func(l *timeline.Lease) { l.Crash, l.Killed = crash, 50 }), int64(100)},
		{"lost", end(func(l *timeline.Lease) { l.Lost, l.Killed = moment(400), 300 }), int64(400)},
	})
}

// A candidate that gave up is a process of its own.
func TestWithdrawn(t *testing.T) {
	w := acquire(0, &history.Op{Time: 10, Type: history.Fail})
	w.Line = 5
	tr := translation{election: true, alone: true}
	tr.wait(w)
	check(t, []border{{"its process", tr.list[0].Process, withdrawn + 5}})
}

// TestNonlinearizable: the witness, its time and the sentence.
func TestNonlinearizable(t *testing.T) {
	shown := func(key string, witness ...int) incident.Anomaly {
		f := incident.NewFindings(incident.NewBook(&timeline.Run{End: 5e9}, Kinds()))
		from := []Source{{moment(1e9), moment(2e9)}, {moment(3e9), moment(4e9)}}
		addNonlinearizable(f, "L", plainStore, key, "a register", linear.Verdict{Witness: witness, Explanation: "it was read"}, from)
		return f.Kept["nonlinearizable"][0]
	}
	all, none := shown("", -1, 0, 1, 2), shown("k")
	check(t, []border{
		{"those that are in the list", len(all.Ops), 4},
		{"the last of them", all.Time, int64(4e9)},
		{"no witness", len(none.Ops), 0},
		{"its time", none.Time, int64(5e9)},
		{"of a lock", all.Sentence, "the operations on L up to 4.000 s fit no order that a register allows: it was read"},
		{"of a key", none.Sentence, "the operations on k of the plain store up to 5.000 s fit no order that a register allows: it was read"},
	})
}

const plainStore = history.Plain

// TestTimeLeft: parts of a lock share the time that it may take.
func TestTimeLeft(t *testing.T) {
	left := func(limit time.Duration) time.Duration { return (&linearState{spent: time.Second}).left(limit) }
	v := emptyView(t, timeline.Options{Model: "unheard-of"})
	r := &nonlinearizable{base: based(v)}
	r.check(&timeline.Piece{Lock: &timeline.Lock{Name: "L"}, Calls: []*timeline.Call{acquire(0, nil)}})
	check(t, []border{
		{"what was not spent", left(3 * time.Second), 2 * time.Second}, {"no less than 1 ms", left(time.Second), time.Millisecond},
		{"the default", left(0), time.Duration(0)}, {"a part that could not be judged took some", r.spent > 0, true},
	})
}

// TestJudgedCounts: what a model judged is counted, and what it could not judge is named, once of
// each lock; an anomaly stands for itself.
func TestJudgedCounts(t *testing.T) {
	count := func(latch, lock linearState) string {
		v := emptyView(t, timeline.Options{Model: "latch"})
		locks, f := NewLocks(v.on), incident.NewFindings(v.on.Book)
		v.latches.linear, locks.of("L").linear.linearState = latch, lock
		ofLocks, why := locks.Findings(f)
		ofLatches, whyLatches := v.latches.Findings(f)
		return fmt.Sprint(ofLatches, whyLatches, ofLocks, why)
	}
	judged, hard := linearState{judged: true}, linearState{judged: true, unknown: "too long"}
	check(t, []border{
		{"nothing", count(linearState{}, linearState{}), "0 [] 0 []"}, {"a latch", count(judged, linearState{}), "1 [] 0 []"}, {"a lock", count(linearState{}, judged), "0 [] 1 []"},
		{"a hard latch", count(hard, judged), "1 [too long] 1 []"}, {"a hard lock", count(judged, hard), "1 [] 1 [too long]"},
		{"a lock with an anomaly", count(judged, linearState{judged: true, invalid: true, unknown: "too long"}), "1 [] 1 []"},
	})
}

// TestOfHistory: processes of the model that the history does not know keep their numbers.
func TestOfHistory(t *testing.T) {
	list, from := []linear.Operation{{Process: 7}}, []Source{{Inv: &history.Op{Process: 2}}}
	check(t, []border{{"known", ofHistory("process 7 waits", list, from), "process 2 waits"}, {"not known", ofHistory("process 8 waits", list, from), "process 8 waits"}})
}

func TestInSeconds(t *testing.T) {
	check(t, []border{
		{"a time", inSeconds("read at 1500000000"), "read at 1.500 s"},
		{"times that a millisecond tells apart", inSeconds("from 1500400000 to 1500600000"), "from 1.500 s to 1.501 s"},
		{"times of one millisecond", inSeconds("from 1500000000 to 1500400000"), "from 1.500000 s to 1.500400 s"},
		{"a token", inSeconds("read token 1500000000"), "read token 1500000000"},
	})
}

// TestWitnesses: the first ones are kept, and all are counted.
func TestWitnesses(t *testing.T) {
	f := incident.NewFindings(incident.NewBook(&timeline.Run{}, Kinds()))
	for range incident.Witnesses + 1 {
		f.Add("starved", 0, func() incident.Anomaly { return incident.Anomaly{} })
	}
	check(t, []border{{"counted", f.Counts["starved"], incident.Witnesses + 1}, {"kept", len(f.Kept["starved"]), incident.Witnesses}})
}

// TestPromisedInModel: a lease whose holder was told how long it has it is held to that, and
// never to more than the TTL.
func TestPromisedInModel(t *testing.T) {
	ttl := func(bounded bool, answers ...timeline.Answer) int64 {
		l := leased(1, 100, 900)
		l.Call = acquire(1, moment(100))
		l.Answers, l.Call.Lease = answers, l
		list, _ := operationsOn(t, timeline.Options{Model: "timed-lease", TTL: 50, Expires: true, Bounded: bounded}, &timeline.Lock{Leases: []*timeline.Lease{l}, Judged: 1}, nil, false)
		return list[0].TTL
	}
	check(t, []border{
		{"told a part", ttl(true, timeline.Answer{At: 101, Min: 125}), int64(25)},
		{"told more than the TTL", ttl(true, timeline.Answer{At: 101, Min: 151}), int64(50)},
		{"told that it is over", ttl(true, timeline.Answer{At: 101, Min: 100}), int64(1)},
		{"told nothing", ttl(true), int64(1)},
		{"told before its grant", ttl(true, timeline.Answer{At: 99, Min: 125}), int64(1)},
		{"its lock tells nobody: the TTL of the model", ttl(false), int64(0)},
	})
	l := leased(1, 100, 900)
	l.Renewals = []history.Call{{Invoke: moment(200), Return: moment(210)}, {Invoke: moment(300), Return: nil}}
	l.RenewLines = []int{1, 2}
	l.Answers = []timeline.Answer{{At: 101, Min: 140}, {At: 211, Min: 240}}
	tr := translation{limit: 50}
	tr.lease(l)
	check(t, []border{{"renewed", tr.list[0].TTL, int64(30)}, {"perhaps renewed", tr.list[1].TTL, int64(1)}})
}
