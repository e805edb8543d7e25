package checker_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
	"locktorture/workloads"
)

// A refWorkload is a workload, its invariant, and its definition: how many anomalies of each
// kind an operation shows.
type refWorkload struct {
	work   func() workloads.Workload
	inv    checker.Invariant
	judge  func(a refApplies, i int) string
	kinds  []string
	repeat bool // an anomaly of a kind counts each time, else once for each lease
}

var c2 = workloads.Config{Locks: []string{"A", "B"}}

var refWorkloads = map[string]refWorkload{
	"counter":            {the(workloads.Counter{Config: c2}), invariant.Counter{}, refApplies.counter, []string{"lost-update", "torn-write"}, true},
	"reentry":            {the(workloads.Reentry{Config: c2}), invariant.Counter{}, refApplies.counter, []string{"lost-update", "torn-write"}, true},
	"statemachine":       {the(workloads.StateMachine{Config: c2}), invariant.StateMachine{}, refApplies.stateMachine, []string{"duplicate-step", "illegal-transition", "torn-write"}, true},
	"seckill":            {the(workloads.Seckill{Config: c2, Units: 6, Users: 8}), invariant.Seckill{}, refApplies.oversold, []string{"oversold", "torn-write"}, true},
	"seckill orders":     {the(workloads.Seckill{Config: c2, Units: 30, Users: 8}), invariant.Seckill{}, doneAgain("order", "double-order"), []string{"double-order"}, true},
	"idempotent-submit":  {the(workloads.IdempotentSubmit{Config: c2}), invariant.IdempotentSubmit{}, doneAgain("request", "duplicate-execution"), []string{"duplicate-execution"}, true},
	"scheduler":          {the(workloads.Scheduler{Config: c2}), invariant.Scheduler{}, doneAgain("run", "duplicate-run"), []string{"duplicate-run"}, true},
	"id-allocation":      {the(workloads.IDAllocation{Config: c2, Workers: 2}), invariant.IDAllocation{}, doneAgain("id", "duplicate-id"), []string{"duplicate-id"}, true},
	"id workers":         {the(workloads.IDAllocation{Config: c2, Workers: 2}), invariant.IDAllocation{}, refApplies.sharedWorker, []string{"shared-worker"}, false},
	"cache-rebuild":      {the(workloads.CacheRebuild{Config: c2}), invariant.CacheRebuild{}, doneAgain("cache", "duplicate-rebuild"), []string{"duplicate-rebuild"}, true},
	"config-rollout":     {the(workloads.ConfigRollout{Config: c2}), invariant.ConfigRollout{}, refApplies.rollout, []string{"out-of-order", "torn-write"}, true},
	"queue-consumer":     {the(workloads.QueueConsumer{Config: c2}), invariant.QueueConsumer{}, doneAgain("handled", "duplicate-delivery"), []string{"duplicate-delivery"}, true},
	"queue order":        {the(workloads.QueueConsumer{}), invariant.QueueConsumer{}, refApplies.handledLate, []string{"out-of-order"}, true},
	"file-append":        {the(workloads.FileAppend{Config: c2}), invariant.FileAppend{}, refApplies.file, []string{"torn-write", "lost-record"}, true},
	"leader":             {the(workloads.Leader{Config: c2}), invariant.Leader{}, refApplies.twoLeaders, []string{"stale-leader"}, false},
	"session":            {the(workloads.Session{Config: c2}), invariant.Session{}, refApplies.lostField, []string{"lost-field", "torn-write"}, true},
	"transfer":           {the(workloads.Transfer{}), invariant.Transfer{}, refApplies.wrongTotal, []string{"wrong-total", "torn-write"}, true},
	"document":           {the(workloads.Document{Config: c2}), invariant.Document{}, refApplies.pages, []string{"torn-read", "lost-update", "torn-write"}, true},
	"controller":         {the(workloads.Controller{Config: c2}), invariant.Controller{}, refApplies.takeovers, []string{"lost-update", "torn-write"}, true},
	"controller changes": {the(workloads.Controller{Config: c2}), invariant.Controller{}, refApplies.changes, []string{"stale-change"}, false},
	"rate":               {the(workloads.Rate{Config: c2}), invariant.Rate{}, refApplies.rate, []string{"too-many-at-work", "torn-write"}, true},
	"pool":               {the(workloads.Pool{Config: c2}), invariant.Pool{}, refApplies.pool, []string{"shared-connection", "too-many-at-work"}, true},
	"register":           {the(workloads.Register{Config: c2}), invariant.Register{}, refApplies.foreignValue, []string{"foreign-value"}, true},
}

func the(w workloads.Workload) func() workloads.Workload {
	return func() workloads.Workload { return w }
}

// count judges every operation by all those before it.
func (w refWorkload) count(h history.History) map[string]int {
	got := map[string]int{}
	for _, a := range appliesOf(h) {
		told := map[int64]bool{}
		for i := range a {
			if kind := w.judge(a, i); kind != "" && (w.repeat || !told[a[i].lease]) {
				got[kind]++
				told[a[i].lease] = true
			}
		}
	}
	return got
}

// spoiled is a history of which a few values and the places of some operations were changed.
func spoiled(r *rand.Rand, h history.History) history.History {
	d := &damager{r: r, h: h[:len(h)-1]}
	if r.IntN(3) > 0 {
		return h
	}
	ofStore := func(op *history.Op) bool { return op.Apply > 0 && op.Client > 0 }
	for range 1 + r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			d.edit(ofStore, func(op *history.Op) { op.Value = "torn" })
		case 1, 2:
			i := d.one(ofStore)
			d.edit(func(op *history.Op) bool { return i >= 0 && ofStore(op) && op.Key == d.h[i].Key }, func(op *history.Op) { op.Value = d.h[i].Value })
		default:
			i, j := d.one(ofStore), d.one(ofStore)
			if i >= 0 && max(i, j)-min(i, j) < 30 { // the initial state stays at the beginning
				d.h[i].Apply, d.h[j].Apply = d.h[j].Apply, d.h[i].Apply
			}
		}
	}
	return ended(d.h, history.Complete)
}

// TestReferenceWorkloads compares the invariants with their definitions, on histories of
// sections that were run under good locks and bad ones, were cut, and were spoiled besides.
func TestReferenceWorkloads(t *testing.T) {
	all := maps.Clone(refWorkloads)
	maps.Copy(all, refGatherings)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) { referWorkload(t, all[name], *histories/len(all)+10) })
	}
}

func referWorkload(t *testing.T, w refWorkload, runs int) {
	seen, wrong := map[string]int{}, 0
	for i := range runs {
		r := rand.New(rand.NewPCG(*referenceSeed, uint64(i)))
		work, inv := w.work(), w.inv
		if r.IntN(4) == 0 {
			work, inv = workloads.Keyed{Workload: work, Keys: 2}, invariant.PerKey{Invariant: inv}
		}
		h := spoiled(r, worked(r, work))
		if err := history.Validate(h); err != nil {
			t.Fatalf("history %d: %v", i, err)
		}
		every := []int{checker.Whole, 10, 60}[i%3]
		res, err := checker.JudgeEvery(h, checker.Options{}, inv, every)
		if err != nil {
			t.Fatal(err)
		}
		want := w.count(h)
		for _, kind := range w.kinds {
			if want[kind] > 0 {
				seen[kind]++
			}
			if got := res.Counts.Anomalies[kind]; got != want[kind] {
				if wrong++; wrong <= 3 {
					t.Errorf("history %d: %d %s, by its definition %d", i, got, kind, want[kind])
				}
			}
		}
	}
	t.Logf("of %d histories so many show: %v; %d differ", runs, seen, wrong)
	for _, kind := range w.kinds {
		if runs >= 100 && seen[kind]*100 < runs {
			t.Errorf("%s in %d of %d histories: that proves nothing", kind, seen[kind], runs)
		}
	}
}
