package browsertest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"locktorture/history"
	"locktorture/report/state"
	"locktorture/report/words"
)

// inWords returns the rows that a page has to show of a state, at an instant in µs.
func inWords(s state.State, at int64) (rows []string) {
	row := func(cells ...string) { rows = append(rows, strings.Join(cells, " | ")) }
	for _, c := range s.Clients {
		var leases []string
		for _, l := range c.Leases {
			leases = append(leases, belief(l, at))
		}
		if leases == nil {
			leases = []string{"holds nothing"}
		}
		row(c.Name, stopped(s, c.Name, at)+doing(c.Doing)+", for "+span(at-c.Doing.Since/1000), strings.Join(leases, "; "))
	}
	for _, l := range s.Looks {
		var took string
		if us := l.Seen/1000 - l.Asked/1000; us > 5000 {
			took = ", answered after " + span(us)
		}
		row(l.Node, words.Word(l.Lock), holders(l.Holders, at), span(at-l.Seen/1000)+" ago"+took, inPlace(s, l.Node))
	}
	for _, m := range s.Marks {
		row(m.Store, "mark", fmt.Sprintf("token %d", m.Token), by(m.By, m.Lease, 0, m.At, at))
	}
	own := map[string]int{}
	for _, c := range s.Cells {
		what := words.Word(c.Key)
		if own[c.Store]++; own[c.Store] > 6 {
			what += " (of all other keys, the one written last)"
		}
		row(c.Store, what, words.Word(c.Value), by(c.By, c.Lease, c.Token, c.At, at))
	}
	for _, f := range s.Faults {
		what := f.Seen()
		if f.Error != "" {
			what += " – " + f.Error
		}
		row(fmt.Sprintf("%d: %s", f.Fault, f.Kind()), f.Node, span(at-f.Time/1000), what)
	}
	return rows
}

func doing(d state.Doing) string {
	switch d.F {
	case "":
		return "does nothing"
	case history.Acquire:
		return "waits for " + words.Word(d.Lock)
	case history.Release:
		return "releases " + words.Word(d.Lock)
	case history.Ask:
		return "asks its lease of " + d.Lock
	case history.Observe:
		return "asks who leads " + d.Lock
	case history.Read:
		return "reads from the " + d.Store + " store"
	case history.Write:
		return "writes to the " + d.Store + " store"
	case history.CAS:
		return "writes to the " + d.Store + " store on a condition"
	case history.Crash:
		return "is dead"
	}
	return string(d.F) + " has no words in this test"
}

func stopped(s state.State, client string, at int64) string {
	for _, f := range s.Faults {
		if f.FaultTraits().Effect == history.Stopped && slices.Contains(append(f.Nodes(), fmt.Sprintf("c%d", f.Client)), client) {
			return fmt.Sprintf("paused for %s (fault %d); ", span(at-f.Time/1000), f.Fault)
		}
	}
	return ""
}

func inPlace(s state.State, node string) string {
	var list []string
	for _, f := range s.Faults {
		if slices.Contains(f.Nodes(), node) {
			list = append(list, fmt.Sprintf("fault %d: %s", f.Fault, f.Kind()))
		}
	}
	if list == nil {
		return "no fault"
	}
	return strings.Join(list, ", ")
}

func belief(l state.Lease, at int64) string {
	ago := span(at - l.Since/1000)
	text := []string{"holds ", "heard " + ago + " ago that it is over: ", "learned " + ago + " ago that it is lost: ", "has been releasing for " + ago + ": "}[l.Phase]
	text += fmt.Sprintf("lease %d of %s%s", l.Number, words.Word(l.Lock), share(l.Mode, l.Permits))
	if l.Token > 0 {
		text += fmt.Sprintf(", token %d", l.Token)
	}
	least, most := l.Least/1000, l.Most/1000
	switch {
	case l.Least == 0:
		return text + ", no validity declared"
	case l.Least == history.Never:
		return text + ", valid without end"
	case at < least:
		return text + ", valid until " + words.Exact(least*1000) + " at least (" + span(least-at) + " to go)"
	case at < most:
		return text + ", valid until " + words.Exact(least*1000) + " at least (may be over)"
	}
	return text + ", valid until " + words.Exact(least*1000) + " at least (over for " + span(at-most) + ")"
}

func share(mode string, permits int) string {
	switch {
	case permits > 0:
		return fmt.Sprintf(", %d permits", permits)
	case mode != "":
		return ", " + mode
	}
	return ""
}

func holders(list []state.Holder, at int64) string {
	var out []string
	for _, h := range list {
		text := "owner " + h.Owner + ", granted to nobody yet"
		if h.Lease > 0 {
			text = fmt.Sprintf("%s, lease %d", h.Client, h.Lease)
		}
		text += share(h.Mode, h.Permits)
		switch until := h.Until / 1000; {
		case h.Until == 0:
		case h.Until == history.Never:
			text += ", without expiry"
		case at < until:
			text += ", expires at " + words.Exact(until*1000) + " (" + span(until-at) + " to go)"
		default:
			text += ", expired " + span(at-until) + " ago"
		}
		out = append(out, text)
	}
	if out == nil {
		return "nobody"
	}
	return strings.Join(out, "; ")
}

func by(client string, lease int64, token uint64, since, at int64) string {
	text := "by " + client
	if lease > 0 {
		text += fmt.Sprintf(", lease %d", lease)
	}
	if token > 0 {
		text += fmt.Sprintf(", token %d", token)
	}
	return text + ", " + span(at-since/1000) + " ago"
}

// span writes µs with three figures, as a script does: what is exactly a half is rounded up.
func span(us int64) string {
	n, unit := float64(us), " µs"
	switch {
	case us >= 1e6:
		n, unit = n/1e6, " s"
	case us >= 1e3:
		n, unit = n/1e3, " ms"
	default:
		return strconv.FormatInt(us, 10) + unit
	}
	if exact := strings.TrimRight(strconv.FormatFloat(n, 'f', 60, 64), "0"); len(exact) == len("1.235") && exact[len(exact)-1] == '5' {
		n = math.Nextafter(n, math.Inf(1))
	}
	s := strconv.FormatFloat(n, 'g', 3, 64)
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s + unit
}
