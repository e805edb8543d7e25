package diagram

import (
	"fmt"
	"slices"
	"strings"
)

// collapse makes one row of what several servers said or suffered alike, with nothing between:
// "5 of 5: OK to SET …".
func collapse(steps []step) []step {
	var out []step
	for _, s := range steps {
		if i := twin(out, s); i >= 0 {
			out[i].on = append(out[i].on, s.on...)
			out[i].time = max(out[i].time, s.time)
			continue
		}
		s.on = slices.Clone(s.on)
		out = append(out, s)
	}
	return out
}

// twin returns the row that a step can be joined with, if only answers to the same client stand
// between; else -1.
func twin(rows []step, s step) int {
	for i := len(rows) - 1; i >= 0; i-- {
		if alike(rows[i], s) {
			return i
		}
		if s.ballot == 0 || rows[i].ballot == 0 || rows[i].lease != s.lease {
			break
		}
	}
	return -1
}

// alike reports whether two steps in a row differ in the server alone.
func alike(a, b step) bool {
	if len(a.on) == 0 || len(b.on) == 0 || a.class != b.class || a.witness != b.witness {
		return false
	}
	if a.fault != 0 || b.fault != 0 {
		return a.fault == b.fault && a.time == b.time
	}
	return a.ballot == b.ballot && a.lease == b.lease && a.label == b.label && (a.from == a.on[0]) == (b.from == b.on[0])
}

// gathered puts all servers on one lifeline, where one for each would make the drawing too
// wide. A label then names those that it is about.
func gathered(steps []step) []step {
	var servers []string
	for _, s := range steps {
		for _, n := range s.on {
			if !slices.Contains(servers, n) {
				servers = append(servers, n)
			}
		}
	}
	if len(servers) < 2 {
		return steps
	}
	all := fmt.Sprintf("%d servers", len(servers))
	out := slices.Clone(steps)
	for i, s := range out {
		if len(s.on) == 0 {
			continue
		}
		if slices.Contains(s.on, s.from) {
			out[i].from = all
		}
		if slices.Contains(s.on, s.to) {
			out[i].to = all
		}
		out[i].on = nil
		switch {
		case s.fault != 0: // its label tells them
		case s.ballot > 1 && len(s.on) == s.ballot:
			out[i].label = fmt.Sprintf("%d of %d: %s", len(s.on), s.ballot, s.label)
		default:
			out[i].label = namesOf(s.on) + ": " + s.label
		}
	}
	return out
}

// namesOf returns the servers of lifelines: "redis-1, redis-3".
func namesOf(lifelines []string) string {
	list := slices.Clone(lifelines)
	slices.Sort(list)
	for i, n := range list {
		list[i] = strings.TrimPrefix(n, "node ")
	}
	return strings.Join(list, ", ")
}

// width returns how wide a drawing of those steps is.
func width(steps []step) int {
	names := lifelines(steps)
	w := Gutter + first
	for _, n := range names {
		w += spacing(steps, names)(n)
	}
	return w
}

// spacing says how far the lifeline after one is.
func spacing(steps []step, names []string) func(name string) int {
	between := max(narrowest, min(widest, (page-Gutter-first)/max(1, len(names))))
	for _, s := range steps {
		if len(s.on) > 0 && s.fault == 0 { // servers stand close to each other
			wide := max(column, between)
			return func(name string) int { return besideServer(name, wide) }
		}
	}
	return func(string) int { return between }
}
