package sample

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
)

// Make makes a run with its result and history.
func (s Shape) Make() (report.Run, checker.Result, history.History) {
	w := s.simulate()
	return s.run(), w.result(), w.ops
}

func (s Shape) run() report.Run {
	return report.Run{
		Name: "20260102-150405-redlock-7", Start: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Version: "0.1", Commit: "0123abc",
		Backend: "redlock" + s.Hostile, Workload: "seckill", Nemeses: []string{"clock", "pause"}, Seed: 7, Duration: 30 * time.Second,
		Clients: s.Clients, TTL: ttl, Fencing: "both", Careful: true,
		Flags:    []report.Flag{{Name: "backend", Value: "redlock" + s.Hostile}, {Name: "seed", Value: "7"}, {Name: "duration", Value: "30s"}},
		Topology: "five independent Redis", Nodes: []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"},
		Provisioner: "process", ProvisionerWhy: "redis-server was found on PATH", LeaseClock: "the wall clock of each redis-server",
		Versions:  []report.Version{{Name: "redis-server", Version: "7.0.15"}, {Name: "go-redis", Version: "v9.23.0"}},
		Reproduce: "torture run --backend redlock --seed 7" + s.Hostile, CheckAgain: "torture check results/runs/20260102-150405-redlock-7",
		Options: checker.Options{Bounded: true, Model: "lease", TTL: ttl, FreeWithin: 3 * ttl},
	}
}

// kept is how many anomalies of a kind a result holds.
const kept = 50

func (w *world) result() checker.Result {
	var anomalies, overruns []checker.Anomaly
	w.byLease = map[int64][]history.Op{}
	for _, op := range w.ops {
		w.byLease[op.Lease] = append(w.byLease[op.Lease], op)
	}
	for _, o := range w.overlap[:min(len(w.overlap), kept)] {
		a := w.doubleGrant(o)
		a.Incident = len(anomalies) + 1
		anomalies = append(anomalies, a)
		if o.first.end > o.first.until {
			overruns = append(overruns, w.overrun(o))
		}
	}
	res := checker.Result{Grade: checker.Safe, Headline: "no violation in " + fmt.Sprint(w.lease) + " grants", Sentence: "nothing was violated in " + fmt.Sprint(w.Sections) + " sections.", Bound: "0 of 41 effective faults, so < 7.3 % at 95 %"}
	exclusion := checker.Property{Name: "exclusion", Status: checker.Kept}
	if len(anomalies) > 0 {
		res.Grade, res.Bound, res.Failed = checker.Unsafe, "", true
		res.Sentence = anomalies[0].Sentence
		res.Headline = fmt.Sprintf("%d incidents; 12 of 340 updates lost", len(anomalies))
		exclusion = checker.Property{Name: "exclusion", Status: checker.Violated, Total: len(w.overlap) + len(overruns), Anomalies: append(anomalies, overruns...)}
	}
	res.Properties = []checker.Property{
		exclusion,
		{Name: "fencing", Status: checker.NotApplicable, Reason: "this lock issues no fencing tokens" + w.Hostile},
		{Name: "ownership", Status: checker.Kept}, {Name: "liveness", Status: checker.Kept},
		{Name: "linearizability", Status: checker.NotChecked, Reason: "the search ran out of time"},
	}
	res.Counts = w.counts(len(w.overlap), len(overruns))
	res.Incidents = w.incidents(anomalies, overruns)
	res.Faults = []checker.FaultCoverage{{Nemesis: "clock", Injected: len(w.faults), Bit: len(anomalies), Rule: "a lease ended early on a majority of the nodes"}, {Nemesis: "pause", Injected: len(w.faults) / 2, Bit: 0, Rule: "a holder was stopped for longer than its lease"}}
	res.Stores = []checker.StoreResult{
		{Store: "plain", Reads: 340, Writes: 340, Lost: 12, Of: 340, LossUnit: "updates", Loss: 12.0 / 340, Correct: false},
		{Store: "fenced", Reads: 320, Writes: 311, Refused: 9, Of: 320, LossUnit: "updates", Correct: true},
	}
	q := checker.Quantiles{N: w.Sections, P50: 1_200_000, P90: 9_800_000, P99: 41_000_000, Max: 98_500_000}
	res.Measures = checker.Measures{Acquire: q, Hold: q, Release: q, Recovery: q, GrantRate: 62.5, Jain: 0.987, OutOfOrder: 3}
	res.Warnings = []string{"probes could not be made: the evidence for orphan is weaker" + w.Hostile}
	res.Measures.LongestStop = 400_000_000
	return res
}

// incidents returns the overlaps, each with what its first holder did afterwards.
func (w *world) incidents(doubles, overruns []checker.Anomaly) checker.Incidents {
	out := checker.Incidents{Total: len(doubles)}
	causes := map[string]int{}
	for i, a := range doubles {
		in := checker.Incident{
			Number: i + 1, Lock: a.Lock, Start: a.Time, End: a.Time, Faults: a.Faults, Anomalies: map[string]int{a.Kind: 1}, Witness: a,
			Lost: []checker.IncidentLoss{{Store: "plain", Lost: 2, Unit: "updates"}},
		}
		if len(a.Faults) > 0 {
			in.Cause = &a.Faults[len(a.Faults)-1]
			causes[in.Cause.Key]++
		}
		out.List = append(out.List, in)
	}
	if len(overruns) > 0 {
		last := &out.List[len(out.List)-1]
		last.Anomalies["overrun"], last.End = len(overruns), max(last.End, overruns[len(overruns)-1].Time)
	}
	for _, kind := range slices.Sorted(maps.Keys(causes)) {
		cause := history.Op{Key: kind}
		out.Causes = append(out.Causes, checker.IncidentCause{Nemesis: kind, Effect: cause.FaultTraits().Effect, Client: kind == "pause", Incidents: causes[kind]})
	}
	return out
}

func (w *world) counts(double, over int) checker.Counts {
	end := int64(0)
	if len(w.ops) > 0 {
		end = w.ops[len(w.ops)-1].Time
	}
	return checker.Counts{Ops: len(w.ops) / 2, Grants: int(w.lease), Refused: 4, Unknown: 1, Processes: w.Clients, Faults: len(w.faults), Bites: double, Duration: end,
		Anomalies: map[string]int{"double-grant": double, "overrun": over}}
}

// opsOf returns the entries of a lease that a witness names.
func (w *world) opsOf(lease int64, fs ...history.F) []history.Op {
	var out []history.Op
	for _, op := range w.byLease[lease] {
		for _, f := range fs {
			if op.F == f && op.Type != history.Invoke {
				out = append(out, op)
			}
		}
	}
	return out
}

func (w *world) doubleGrant(o overlap) checker.Anomaly {
	ops := append(w.opsOf(o.first.lease, history.Acquire, history.Ask), w.opsOf(o.second.lease, history.Acquire)...)
	return checker.Anomaly{
		Kind: "double-grant", Property: "exclusion", Lock: w.lockName(o.first.lock), Time: o.second.at,
		Sentence: fmt.Sprintf("client %d was granted %s at %.3f s while client %d, granted at %.3f s, held it until %.3f s.%s",
			o.second.client, w.lockName(o.first.lock), float64(o.second.at)/1e9, o.first.client, float64(o.first.at)/1e9, float64(o.first.until)/1e9, w.Hostile),
		Ops: ops, Faults: w.faultOps(o.second.at),
	}
}

func (w *world) overrun(o overlap) checker.Anomaly {
	return checker.Anomaly{
		Kind: "overrun", Property: "exclusion", Lock: w.lockName(o.first.lock), Store: "plain", Key: "stock" + w.Hostile, Time: o.first.end,
		Sentence: fmt.Sprintf("client %d wrote stock after its lease %d had ended.", o.first.client, o.first.lease),
		Ops:      w.opsOf(o.first.lease, history.Acquire, history.Ask, history.Write), Faults: w.faultOps(o.second.at),
	}
}

func (w *world) faultOps(at int64) []history.Op {
	var out []history.Op
	for _, f := range w.faults {
		if f.from <= at && at <= f.to {
			out = append(out, history.Op{Process: history.Nemesis, Client: f.client, Type: history.Info, F: history.Fault, Time: f.from, Key: f.kind, Node: f.node, Fault: f.n, Value: "clock jumped ahead by 60 s"})
		}
	}
	return out
}
