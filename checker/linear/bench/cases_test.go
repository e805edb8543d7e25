package bench

import (
	"flag"
	"math/rand/v2"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
)

var (
	limit  = flag.Duration("porcupine-limit", 60*time.Second, "how long porcupine may try; where it finds no answer, the ratio is at least that")
	memory = flag.Int64("porcupine-memory", 8<<30, "how many bytes porcupine may take; where it needs more, the ratios are at least those")
)

// A goal is what a case must reach. Zero values ask for nothing.
type goal struct {
	faster  float64 // than porcupine
	smaller float64 // extra peak memory, than porcupine's
	passes  float64 // at most so many times as long as a plain pass over the same events
	bytes   int64   // peak of the whole process
}

// A benchCase is one row of the table.
type benchCase struct {
	cfg     gen.Config
	invalid bool
	repeat  int // the best of so many counts; porcupine a hundredth
	strict  bool
	engine  string // ours, if not the fast one
	other   func(cfg gen.Config) (run func() measurement, plain func())
	quick   bool // cheap enough for every test run
	goal
}

const gib = 1 << 30

func cases() map[string]benchCase {
	mb500 := int64(500 << 20)
	table := map[string]benchCase{
		"mutex 10 clients 1k":                {cfg: config("mutex", 10, 1_000), repeat: 2000, quick: true, goal: goal{faster: 50}},
		"mutex 10 clients 100k":              {cfg: config("mutex", 10, 100_000), repeat: 20, goal: goal{faster: 1000, smaller: 100}},
		"fenced 10 clients 100k":             {cfg: config("fenced", 10, 100_000), repeat: 20, goal: goal{faster: 100}},
		"counter 20 clients 1k, 1% unknown":  {cfg: unknown(config("counter", 20, 1_000), 0.01), repeat: 500, goal: goal{faster: 10_000}},
		"register 20 clients 1k, 1% unknown": {cfg: unknown(config("register", 20, 1_000), 0.01), repeat: 500, goal: goal{faster: 10_000}},
		"counter 20 clients 1k":              {cfg: config("counter", 20, 1_000), repeat: 500, goal: goal{faster: 10_000}},
		"register 20 clients 1k":             {cfg: reads(config("register", 20, 1_000), 0.5), repeat: 500, goal: goal{faster: 10_000}},
		"counter 20 clients 1M":              {cfg: config("counter", 20, 1_000_000), goal: goal{passes: 40}},
		"register 20 clients 1M":             {cfg: config("register", 20, 1_000_000), goal: goal{passes: 40}},
		"search 10 clients 100k":             {cfg: config("mutex", 10, 100_000), engine: "search", goal: goal{faster: 5, smaller: 50}},
		"invalid 1% unknown 10k":             {cfg: unknown(config("mutex", 10, 10_000), 0.01), invalid: true, repeat: 20, quick: true, goal: goal{passes: 10}},
		"history of 1M lines":                {other: readLines, goal: goal{passes: 4}},
		"monitor mutex 10M events":           {cfg: config("mutex", 100, 0), other: watch, goal: goal{passes: 60, bytes: 96 << 20}},
	}
	for _, model := range []string{"timed-rwlock", "timed-semaphore", "latch", "barrier", "election"} {
		few := beyond(model, 4, 1_000_000)
		table[model+" 4 clients 1M"] = benchCase{cfg: few, goal: goal{passes: 50}}
		table[model+" 10 clients 1k"] = benchCase{cfg: beyond(model, 10, 1_000), repeat: 500, quick: true, goal: goal{faster: 10}}
		if model != "barrier" { // there the choice of who died when is left to the search
			table[model+" 20 clients 1M, 1% unknown"] = benchCase{cfg: unknown(beyond(model, 20, 1_000_000), 0.01), goal: goal{passes: 50}}
		}
	}
	for _, model := range lockModels() {
		c := unknown(config(model, 100, 1_000_000), 0.05)
		c.Tries = 0.5
		table[model+" 100 clients 1M, tries, 5% unknown"] = benchCase{cfg: c, goal: goal{passes: 20, bytes: mb500}}
		if model == "mutex" || model == "fenced" {
			table[model+" 100 clients 1M, strict tries, 5% unknown"] = benchCase{cfg: c, strict: true, goal: goal{passes: 30, bytes: mb500}}
		}
	}
	return table
}

func lockModels() []string {
	return []string{"mutex", "reentrant", "fenced", "reentrant-fenced", "lease", "timed-lease", "rwlock", "semaphore", "timed-rwlock", "timed-semaphore"}
}

func config(model string, processes, operations int) gen.Config {
	return gen.Config{Model: model, Processes: processes, Operations: operations, MinStep: 1, MaxStep: 1000, Capacity: 3, TTL: 2_000_000, Stock: int64(operations)}
}

// beyond is a history of what more than one holds or waits for. A third of the
// operations opens a latch; all clients are parties of a barrier.
func beyond(model string, processes, operations int) gen.Config {
	cfg := config(model, processes, operations)
	if model == "latch" {
		cfg.Capacity = operations / 3
	}
	if model == "barrier" {
		cfg.Capacity = processes
	}
	return cfg
}

func reads(cfg gen.Config, share float64) gen.Config {
	cfg.Reads = share
	return cfg
}

func unknown(cfg gen.Config, share float64) gen.Config {
	cfg.Unknown = share
	return cfg
}

// prepare makes the history of a case and returns what is to be measured, and a plain pass over
// the same events.
func (c benchCase) prepare(side string) (run func() measurement, plain func()) {
	if c.other != nil {
		return c.other(c.cfg)
	}
	ops := gen.History(rand.New(rand.NewPCG(7, 7)), c.cfg)
	if c.invalid {
		damage(ops)
	}
	o := c.cfg.Options()
	o.StrictTries, o.Engine, o.Memory = c.strict, c.engine, 18*gib
	repeat := c.repeat
	if side == "porcupine" {
		o.Engine, o.Timeout, repeat = "porcupine", *limit, repeat/100
	}
	run = func() measurement {
		var best measurement
		for k := range 1 + repeat {
			start := cpu()
			m := result(linear.Check(ops, c.cfg.Model, o))
			if m.Elapsed = cpu() - start; k == 0 || m.Elapsed < best.Elapsed {
				best = m
			}
		}
		return best
	}
	return run, func() {
		last := map[int]int64{}
		for i := range ops {
			last[ops[i].Process] = max(last[ops[i].Process], ops[i].Return)
		}
	}
}

func result(v linear.Verdict) measurement {
	return measurement{Outcome: v.Outcome.String(), Algorithm: v.Algorithm, Reason: v.Reason}
}

// damage lets a late grant return while another process surely holds the lock.
func damage(ops []linear.Operation) {
	var last *linear.Operation
	for i := len(ops) / 2; i < len(ops); i++ {
		o := &ops[i]
		if o.F != linear.Acquire || o.Status != linear.OK {
			continue
		}
		if last != nil && last.Process != o.Process {
			o.Call, o.Return = last.Return+1, last.Return+2
			for k := range ops { // its holder was idle before
				if p := &ops[k]; p.Process == o.Process && p != o && p.Status != linear.Pending && p.Return > o.Call && p.Call < o.Return {
					last = nil
					break
				}
			}
			if last != nil {
				return
			}
		}
		last = o
	}
}
