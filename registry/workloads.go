package registry

import (
	"fmt"
	"maps"
	"slices"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/locks"
	"locktorture/workloads"
)

// A Workload pairs a workload with the invariant that judges it.
type Workload struct {
	About     string
	Lock      string // base name of its locks
	Least     int    // number of locks that a section needs, if more than one
	Reenters  bool   // its sections take their lock again, so the lock must be reentrant
	Kind      string // kind of lock that it needs (locks.ReadWrite, …); "": any that can be held alone
	Counts    bool   // its latches have several parties
	Store     string // the store that it uses if the user names none; "": memory
	New       func(c workloads.Config) workloads.Workload
	Invariant checker.Invariant
}

// Workloads returns the workloads by name.
func Workloads() map[string]Workload {
	all := ofLocks()
	maps.Copy(all, ofShared())
	for name, make := range workloads.InMemory() {
		w := all[name]
		w.New = make
		all[name] = w
	}
	return all
}

// ofLocks returns the workloads whose sections hold a lock alone. Where New is nil, Workloads takes
// it from workloads.InMemory.
func ofLocks() map[string]Workload {
	return map[string]Workload{
		"counter":           {About: "clients read a number, add one and write it back; shows lost updates", Lock: "counter", Invariant: invariant.Counter{}},
		"seckill":           {About: "a flash sale: few units, many users, one order for each user", Lock: "seckill", Invariant: invariant.Seckill{}},
		"statemachine":      {About: "an order is created, paid, shipped and done; each step must happen once", Lock: "order", Invariant: invariant.StateMachine{}},
		"idempotent-submit": {About: "impatient users repeat a request, which must be executed once", Lock: "submit", Invariant: invariant.IdempotentSubmit{}},
		"scheduler":         {About: "a job is triggered on all instances, but must run on only one", Lock: "scheduler", Invariant: invariant.Scheduler{}},
		"id-allocation":     {About: "Snowflake ids: each worker id has one holder, and no id is generated twice", Lock: "ids", Invariant: invariant.IDAllocation{}},
		"cache-rebuild":     {About: "a cached value has expired, and only one client queries the database", Lock: "cache", Invariant: invariant.CacheRebuild{}},
		"config-rollout":    {About: "versions of a configuration reach every node, in order", Lock: "config", Invariant: invariant.ConfigRollout{}},
		"file-append": {
			About: "clients append records of several blocks to a shared file", Lock: "file", Store: "file", Invariant: invariant.FileAppend{},
			New: func(c workloads.Config) workloads.Workload { return workloads.FileAppend{Config: c} },
		},
		"leader":         {About: "leader election: one leader acts at a time", Lock: "leader", Invariant: invariant.Leader{}},
		"session":        {About: "each client changes one field of a document, and keeps the others", Lock: "session", Invariant: invariant.Session{}},
		"transfer":       {About: "transfers of money between accounts, under two locks", Lock: "account", Least: 3, Invariant: invariant.Transfer{}},
		"queue-consumer": {About: "messages that must be handled once and in order", Lock: "queue", Invariant: invariant.QueueConsumer{}},
		"reentry":        {About: "a method takes the lock that its caller already holds", Lock: "reentry", Reenters: true, Invariant: invariant.Counter{}},
		"register":       {About: "plain reads and writes: the baseline", Lock: "register", Invariant: invariant.Register{}},
	}
}

// WorkloadsFor returns the sorted names of the workloads that a lock with the traits t can do.
func WorkloadsFor(t locks.Traits) []string {
	var names []string
	for name, w := range Workloads() {
		if w.Cannot(t) == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// UsualWorkload returns the name of the workload for a kind of lock if the user names none.
func UsualWorkload(kind string) string {
	return map[string]string{
		locks.Exclusive: "seckill",
		locks.ReadWrite: "document",
		locks.Semaphore: "rate",
		locks.Election:  "controller",

		locks.CountDownLatch: "start-gate",
		locks.DoubleBarrier:  "phases",
	}[kind]
}

// OfKind returns the workloads among names that are made for the kind of a lock with the traits t,
// and that the lock can do. If there is none and the lock is not exclusive, it returns the usual
// workload of the lock's kind.
func OfKind(names []string, t locks.Traits) []string {
	var out []string
	for _, name := range names {
		if w := Workloads()[name]; w.Kind == t.Kind && w.Cannot(t) == "" {
			out = append(out, name)
		}
	}
	if len(out) == 0 && t.Kind != locks.Exclusive {
		out = []string{UsualWorkload(t.Kind)}
	}
	return out
}

// Cannot returns the reason why a lock with the traits t cannot do the workload, or "" if it can.
func (w Workload) Cannot(t locks.Traits) string {
	kind, _ := locks.KindOf(t.Kind)
	switch {
	case w.Reenters && !t.Reentrant:
		return "its sections take their lock again, and the lock is not reentrant"
	case w.Kind != "" && w.Kind != t.Kind:
		return fmt.Sprintf("it needs a lock of the kind %s", w.Kind)
	case w.Kind == "" && !kind.Alone:
		return fmt.Sprintf("its sections hold their lock alone, which nobody does with a lock of the kind %s", t.Kind)
	case w.Counts && t.Single:
		return "it needs a latch that counts, and one count-down opens it"
	}
	return ""
}

// Make makes the workload on n locks, or on as many as a section needs if n is 1. Each lock guards
// the given number of keys.
func (w Workload) Make(c workloads.Config, n, keys int) workloads.Workload {
	c.Locks = w.LockNames(n)
	made := w.New(c)
	if keys > 1 {
		made = workloads.Keyed{Workload: made, Keys: keys, Hot: c.Hot}
	}
	return made
}

// LockNames returns the names of n locks, or of as many as a section needs if n is 1.
func (w Workload) LockNames(n int) []string {
	if n == 1 {
		n = max(n, w.Least)
	}
	return lockNames(w.Lock, n)
}

// lockNames returns the names of n locks: base, or base-1 … base-n.
func lockNames(base string, n int) []string {
	if n == 1 {
		return []string{base}
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", base, i+1)
	}
	return names
}

// Invariant returns the invariant of a workload, which is judged for each key separately; nil if
// there is no workload with this name.
func Invariant(workload string) checker.Invariant {
	w, ok := Workloads()[workload]
	if !ok {
		return nil
	}
	return invariant.PerKey{Invariant: w.Invariant}
}
