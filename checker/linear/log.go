package linear

import (
	"fmt"
	"strings"
)

// judgeLog decides an append-only log whose values are all different: the
// longest read gives the order, every other must be a prefix of it, and values that were
// appended but not read came later.
func judgeLog(t *trace) Verdict {
	longest, appends, v := readLog(t)
	if v != nil {
		return *v
	}
	list := ""
	if longest >= 0 {
		list = t.ops[longest].Value
	}
	placeAt, places := map[int]int64{0: 1}, map[string]int64{} // by length of a prefix; by value
	if list != "" {
		at := 0
		for k, value := range strings.Split(list, ",") {
			if _, ok := places[value]; ok {
				return invalid(byChain, fmt.Sprintf("%v holds %s twice, but %[2]s was appended only once", t.ops[longest], quote(value)), int(longest))
			}
			if _, ok := appends[value]; !ok {
				return invalid(byChain, fmt.Sprintf("%v holds %s, but nobody appended this value", t.ops[longest], quote(value)), int(longest))
			}
			places[value] = int64(2*k + 2)
			at += len(value)
			placeAt[at] = int64(2*k + 3)
			at++
		}
	}
	last := int64(2*len(places) + 3) // an odd place after all that was read
	var links []link
	for _, i := range t.order {
		o := &t.ops[i]
		place, ok := last, true
		switch {
		case o.F == Append && o.Status == Pending:
			if place, ok = places[o.Value]; !ok {
				continue // need not have happened
			}
		case o.F == Append:
			if p, read := places[o.Value]; read {
				place = p
			}
		case o.Status == Pending:
			continue
		default:
			if place, ok = placeAt[len(o.Value)]; !ok || !strings.HasPrefix(list, o.Value) {
				return invalid(byChain, fmt.Sprintf("neither of two reads is a prefix of the other: %v and %v", *o, t.ops[longest]), int(i), int(longest))
			}
		}
		links = append(links, t.linkOf(i, place))
	}
	if v := linked(t, byChain, links, nil); v != nil {
		return *v
	}
	return valid(byChain)
}

// readLog finds the longest read and who appended what.
func readLog(t *trace) (longest int32, appends map[string]int32, v *Verdict) {
	longest, appends = -1, map[string]int32{}
	for _, i := range t.order {
		o := &t.ops[i]
		why := ""
		switch {
		case o.F == Append && (o.Value == "" || strings.Contains(o.Value, ",")):
			why = "a value that cannot be distinguished in a list"
		case o.F == Append && o.Status != Refused:
			if _, ok := appends[o.Value]; ok {
				why = "the value " + quote(o.Value) + " is appended twice"
			}
			appends[o.Value] = i
		case o.F == Read && o.Status == OK:
			if longest < 0 || len(o.Value) > len(t.ops[longest].Value) {
				longest = i
			}
		case o.F != Read || o.Status == Refused:
			why = "a log has no " + o.String()
		}
		if why != "" {
			u := unknown(byChain, why)
			return 0, nil, &u
		}
	}
	return longest, appends, nil
}
