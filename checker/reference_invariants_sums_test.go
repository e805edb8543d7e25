package checker_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"locktorture/checker"
)

var noOptions = checker.Options{}

// sale is the sale of a key: "stock/<n>" or "order/<n>/<user>".
func (op refApply) sale() string {
	n, _, _ := strings.Cut(op.rest, "/")
	return op.place + n
}

// excess is by how much sold and left are more than the initial stock after an operation.
func (a refApplies) excess(i int) (n int, known bool) {
	left, initial, sold := 0, 0, 0
	for _, x := range a[:i+1] {
		switch {
		case x.sale() != a[i].sale():
		case x.part == "order" && !x.read:
			sold++
		case x.part == "stock" && numeric(x) && (!x.read || !known && x.value != ""):
			left, _ = refNumber(x.value)
			if !known {
				known, initial = true, left
			}
		}
	}
	return sold + left - initial, known
}

// oversold counts when it is worse than ever before in that sale.
func (a refApplies) oversold(i int) string {
	op, worst, lowest := a[i], 0, 0
	stock, order := op.part == "stock", op.part == "order" && !op.read
	if stock && !numeric(op) {
		return "torn-write"
	}
	if !order && (!stock || op.read) {
		return ""
	}
	for j, x := range a[:i] {
		if (x.part == "stock" || x.part == "order") && !x.read && x.sale() == op.sale() {
			if n, known := a.excess(j); known {
				worst = max(worst, n)
			}
			if n, ok := refNumber(x.value); ok && x.part == "stock" {
				lowest = min(lowest, n)
			}
		}
	}
	n, known := a.excess(i)
	left, _ := refNumber(op.value)
	if stock && left < lowest || known && n > worst {
		return "oversold"
	}
	return ""
}

func (a refApplies) file(i int) string {
	op := a[i]
	was, _ := a.held(i, op.place+"end", func(x refApply) bool { return !x.read && numeric(x) })
	from, _ := refNumber(was)
	switch {
	case op.read:
	case op.part == "end" && !numeric(op):
		return "torn-write"
	case op.part == "block":
		n, _ := refNumber(op.rest)
		if _, old := a.held(i, op.key, func(x refApply) bool { return !x.read }); old && n < from {
			return "torn-write"
		}
	case op.part == "end" && op.done():
		to, _ := refNumber(op.value)
		if to <= from {
			return "lost-record"
		}
		if !a.whole(i, from, to) {
			return "torn-write"
		}
	}
	return ""
}

// whole reports whether some blocks are one record, all of it written under one lease.
func (a refApplies) whole(i, from, to int) bool {
	var lease int64
	name := ""
	for n := from; n < to; n++ {
		key := fmt.Sprintf("%sblock/%d", a[i].place, n)
		var last *refApply
		for j := range a[:i] {
			if a[j].key == key && !a[j].read {
				last = &a[j]
			}
		}
		if last == nil {
			return false
		}
		if n == from {
			lease = last.lease
			name, _, _ = strings.Cut(last.value, " ")
		}
		if last.lease != lease || last.value != fmt.Sprintf("%s %d/%d", name, n-from+1, to-from) {
			return false
		}
	}
	return true
}

func document(a refApply) (fields map[string]int, ok bool) {
	err := json.Unmarshal([]byte(a.value), &fields)
	return fields, err == nil
}

func (a refApplies) lostField(i int) string {
	valid := func(x refApply) bool { _, ok := document(x); return ok }
	is, ok := document(a[i])
	text, known := a.held(i, a[i].key, valid)
	switch {
	case a[i].part != "document":
	case !ok:
		return "torn-write"
	case a[i].done() && known:
		was, _ := document(refApply{value: text})
		more := false
		for field, n := range is {
			more = more || n > was[field]
		}
		for field, n := range was {
			if is[field] < n {
				return "lost-field"
			}
		}
		if !more {
			return "lost-field"
		}
	}
	return ""
}

// A refAccount is what an account holds; a noted one is about to become something else.
type refAccount struct {
	Balance int
	Pending *struct {
		ID      string
		Balance int
		First   bool
	}
}

// total is what all accounts hold before the i-th operation; of a transfer that the second
// account has noted, what they become.
func (a refApplies) total(i int) (sum int) {
	accounts, noted := map[string]refAccount{}, map[string]bool{}
	for _, x := range a[:i] {
		var is refAccount
		if !x.read && x.part == "account" && json.Unmarshal([]byte(x.value), &is) == nil {
			accounts[x.key] = is
		}
	}
	for _, is := range accounts {
		if is.Pending != nil && !is.Pending.First {
			noted[is.Pending.ID] = true
		}
	}
	for _, is := range accounts {
		if is.Pending != nil && noted[is.Pending.ID] {
			sum += is.Pending.Balance
		} else {
			sum += is.Balance
		}
	}
	return sum
}

func (a refApplies) wrongTotal(i int) string {
	var is refAccount
	switch {
	case a[i].read || a[i].part != "account":
	case json.Unmarshal([]byte(a[i].value), &is) != nil:
		return "torn-write"
	case a[i].done() && a.total(i) != a.total(i+1):
		return "wrong-total"
	}
	return ""
}
