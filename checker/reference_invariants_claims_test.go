package checker_test

import (
	"slices"
	"strings"
)

// pages: a section reads what it has read before, and a writer counts the first page on.
func (a refApplies) pages(i int) string {
	op := a[i]
	switch {
	case op.part != "page":
	case !numeric(op):
		return "torn-write"
	case op.read:
		if !slices.ContainsFunc(a[:i], func(x refApply) bool { return x.read && x.key == op.key && x.lease == op.lease && numeric(x) }) {
			return "" // it knows nothing of the page yet
		}
		for _, x := range slices.Backward(a[:i]) {
			if x.key == op.key && x.lease == op.lease && numeric(x) {
				if x.value != op.value {
					return "torn-read"
				}
				break
			}
		}
	case op.done() && op.rest == "1":
		was, _ := a.held(i, op.key, numeric)
		from, _ := refNumber(was)
		if n, _ := refNumber(op.value); n != from+1 {
			return "lost-update"
		}
	}
	return ""
}

// rate: when a section began that was done at some time, those that were at work then and were
// done at some time had no more permits with it than there are.
func (a refApplies) rate(i int) string {
	op := a[i]
	if !op.read && !numeric(op) {
		return "torn-write"
	}
	if op.part != "begun" || a.doneAt(i) < 0 {
		return ""
	}
	sum, _ := refNumber(op.value)
	for j, x := range a[:i] {
		if x.place == op.place && x.part == "begun" && numeric(x) && a.doneAt(j) > i {
			n, _ := refNumber(x.value)
			sum += n
		}
	}
	all, _ := a.held(i, op.place+"capacity", numeric)
	if capacity, _ := refNumber(all); sum > capacity {
		return "too-many-at-work"
	}
	return ""
}

// doneAt is the place at which the section that began at another was done, -1 if it never was.
func (a refApplies) doneAt(i int) int {
	for j := i + 1; j < len(a); j++ {
		if a[j].part == "done" && a[j].place == a[i].place && a[j].lease == a[i].lease && numeric(a[j]) {
			return j
		}
	}
	return -1
}

// pool: who returns a connection took it last; and when one was taken that was done with its
// pool at some time, no more of that pool were out that were done at some time than it has
// permits.
func (a refApplies) pool(i int) string {
	op := a[i]
	switch {
	case op.read:
	case op.part == "returned":
		for _, x := range slices.Backward(a[:i]) {
			if x.key == op.place+"taken" && !x.read {
				if x.lease != op.lease {
					return "shared-connection"
				}
				break
			}
		}
	case op.part == "taken":
		end, out := a.poolDone(i), 1
		if end < 0 {
			return ""
		}
		for j, x := range a[:i] {
			if x.part == "taken" && !x.read {
				if k := a.poolDone(j); k > i && a[k].place == a[end].place {
					out++
				}
			}
		}
		all, _ := a.held(i, a[end].place+"capacity", numeric)
		if capacity, _ := refNumber(all); out > capacity {
			return "too-many-at-work"
		}
	}
	return ""
}

// poolDone is the place at which the process that took a connection was done with its pool, -1
// if it took another before, or never was.
func (a refApplies) poolDone(i int) int {
	object := func(x refApply) string { return x.place[strings.Index(x.place, "/"):] }
	for j := i + 1; j < len(a); j++ {
		if a[j].process != a[i].process || a[j].read || object(a[j]) != object(a[i]) {
			continue
		}
		switch a[j].part {
		case "taken":
			return -1
		case "done":
			return j
		}
	}
	return -1
}

// takeovers: who begins a generation counts the last one on.
func (a refApplies) takeovers(i int) string {
	op := a[i]
	switch {
	case op.read:
		return ""
	case op.part == "generation" && !numeric(op), op.part == "applied" && !numbered(op):
		return "torn-write"
	case op.part == "generation":
		was, any := a.held(i, op.key, numeric)
		from, _ := refNumber(was)
		if n, _ := refNumber(op.value); any && n != from+1 {
			return "lost-update"
		}
	}
	return ""
}

// changes: a change is of the generation that was begun last, and of the section that began
// it.
func (a refApplies) changes(i int) string {
	op := a[i]
	if op.part != "applied" || op.read || !numbered(op) {
		return ""
	}
	for _, x := range slices.Backward(a[:i]) {
		if x.read || x.key != op.place+"generation" || !numeric(x) {
			continue
		}
		first, _, _ := strings.Cut(op.value, " ")
		if first != x.value || x.lease != op.lease {
			return "stale-change"
		}
		break
	}
	return ""
}

// numbered reports whether a change names its generation.
func numbered(x refApply) bool {
	first, _, _ := strings.Cut(x.value, " ")
	_, ok := refNumber(first)
	return ok
}
