package checker_test

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locktorture/history"
)

// A refApply is an operation that a store has applied. Its place is the lock, and the object
// of it if there are several.
type refApply struct {
	place, key, part, rest, value string
	read                          bool
	lease                         int64
	process, client               int
	number                        int64
	line                          int
}

// refApplies returns the operations that one store applied, in its own order.
type refApplies []refApply

var refObject = regexp.MustCompile(`^[^/]+(/k[0-9]+)?/`)

// appliesOf are the operations of each store that were applied for certain. Where the outcome
// of a write is unknown, those from the first missing number on may be built on it, and are
// left out.
func appliesOf(h history.History) map[string]refApplies {
	var all refApplies
	store, uncertain := map[int64]string{}, false
	for _, op := range refer(h, noOptions).ops {
		answered := op.ret != nil && op.ret.Type != history.Fail
		write := op.inv.F == history.Write
		switch {
		case op.inv.Store == "":
		case answered && op.ret.Apply > 0:
			place := refObject.FindString(op.inv.Key)
			part, rest, _ := strings.Cut(strings.TrimPrefix(op.inv.Key, place), "/")
			a := refApply{place, op.inv.Key, part, rest, op.ret.Value, !write, op.inv.Lease, op.inv.Process, op.inv.Client, op.ret.Apply, op.line}
			all, store[a.number] = append(all, a), op.inv.Store
		case write && (op.ret == nil || op.ret.Type == history.Info):
			uncertain = true
		}
	}
	slices.SortFunc(all, func(a, b refApply) int { return cmp.Or(cmp.Compare(a.number, b.number), a.line-b.line) })
	out := map[string]refApplies{}
	for i, a := range all {
		if i > 0 && a.number > all[i-1].number+1 && uncertain {
			break
		}
		out[store[a.number]] = append(out[store[a.number]], a)
	}
	return out
}

// refNumber reads a number; nothing is 0.
func refNumber(s string) (int, bool) {
	n, err := strconv.Atoi(cmp.Or(s, "0"))
	return n, err == nil && n <= 1<<50 && n >= -1<<50
}

func numeric(a refApply) bool {
	_, ok := refNumber(a.value)
	return ok
}

func anything(refApply) bool { return true }

// held is what a key held before the i-th operation: what was written to it last, else what
// was read of it first.
func (a refApplies) held(i int, key string, valid func(refApply) bool) (value string, known bool) {
	for _, x := range slices.Backward(a[:i]) {
		if x.key == key && !x.read && valid(x) {
			return x.value, true
		}
	}
	for _, x := range a[:i] {
		if x.key == key && valid(x) {
			return x.value, true
		}
	}
	return "", false
}

// doneAgain says that what a key stands for was done before.
func doneAgain(part, kind string) func(a refApplies, i int) string {
	return func(a refApplies, i int) string {
		op := a[i]
		if op.part == part && op.done() && slices.ContainsFunc(a[:i], func(x refApply) bool { return x.key == op.key && x.done() }) {
			return kind
		}
		return ""
	}
}

// done tells of a write of a section.
func (op refApply) done() bool { return !op.read && op.lease != 0 }

func (a refApplies) counter(i int) string {
	was, _ := a.held(i, a[i].key, numeric)
	from, _ := refNumber(was)
	n, ok := refNumber(a[i].value)
	switch {
	case a[i].part != "counter":
	case !ok:
		return "torn-write"
	case a[i].done() && n != from+1:
		return "lost-update"
	}
	return ""
}

func (a refApplies) stateMachine(i int) string {
	op := a[i]
	switch {
	case op.part == "current" && !numeric(op):
		return "torn-write"
	case !op.done():
	case op.part == "current":
		was, known := a.held(i, op.key, numeric)
		from, _ := refNumber(was)
		if n, _ := refNumber(op.value); known && n == from {
			return "duplicate-step"
		} else if known && n != from+1 {
			return "illegal-transition"
		}
	case op.part == "order":
		was, _ := a.held(i, op.key, anything)
		now, _ := a.held(i, op.place+"current", numeric)
		current, _ := refNumber(now)
		n, _ := refNumber(op.rest)
		states := []string{"", "created", "paid", "shipped", "done"}
		at := slices.Index(states, was)
		switch {
		case at >= 0 && at+1 < len(states) && op.value == states[at+1]:
		case op.value == "created" && was == "created" && n > current:
		case op.value == was:
			return "duplicate-step"
		default:
			return "illegal-transition"
		}
	}
	return ""
}

func (a refApplies) rollout(i int) string {
	op := a[i]
	was, known := a.held(i, op.key, numeric)
	from, _ := refNumber(was)
	n, ok := refNumber(op.value)
	switch {
	case op.part != "version" && op.part != "node":
	case !ok:
		return "torn-write"
	case op.done() && known && n != from+1:
		return "out-of-order"
	}
	return ""
}

func (a refApplies) handledLate(i int) string {
	n, _ := refNumber(a[i].rest)
	later := func(x refApply) bool {
		m, _ := refNumber(x.rest)
		return x.place == a[i].place && x.part == "handled" && x.done() && m > n
	}
	if a[i].part == "handled" && a[i].done() && slices.ContainsFunc(a[:i], later) {
		return "out-of-order"
	}
	return ""
}

// foreign reports whether another lease has made the last write of a key.
func (a refApplies) foreign(i int, key string) bool {
	for _, x := range slices.Backward(a[:i]) {
		if x.key == key && x.done() {
			return x.lease != a[i].lease
		}
	}
	return false
}

func (a refApplies) sharedWorker(i int) string {
	worker, _, _ := strings.Cut(a[i].rest, "-")
	if a[i].part == "id" && a[i].done() && a.foreign(i, a[i].place+"worker/"+worker) {
		return "shared-worker"
	}
	return ""
}

func (a refApplies) twoLeaders(i int) string {
	if a[i].part == "action" && a[i].done() && a.foreign(i, a[i].place+"leader") {
		return "stale-leader"
	}
	return ""
}

func (a refApplies) foreignValue(i int) string {
	seen, own := false, false
	for _, x := range a[:i] {
		if x.lease == a[i].lease && x.part == "register" {
			seen, own = true, own || x.value == a[i].value
		}
	}
	if a[i].read && a[i].lease != 0 && seen && !own {
		return "foreign-value"
	}
	return ""
}
