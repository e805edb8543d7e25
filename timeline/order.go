package timeline

import (
	"cmp"
	"slices"
)

// linkNext sets Next of every lease: the grant to another process that took the lock from it.
// That is the first grant that returned later and was not made earlier. A grant that was made
// earlier can return later, such as the one to a waiter that was stopped when the lock was
// granted to it. In that case the newer grant, which returned first, took the lock from that
// waiter. Readers take nothing from each other, and holders of permits take nothing from
// anybody.
func (l *Lock) linkNext(run *Run) {
	all := l.Leases
	slices.SortStableFunc(all, func(a, b *Lease) int { return cmp.Compare(a.Granted(), b.Granted()) })
	later := laterThan(all, func(*Lease) bool { return true })
	writers := laterThan(all, func(g *Lease) bool { return !g.Shared })
	reentries := map[*Lease][]int{}
	for i, g := range slices.Backward(all) {
		switch {
		case g.Permits > 0:
		case g.Shared:
			l.linkFrom(run, i, writers)
		default:
			l.linkFrom(run, i, later)
		}
		if first := g.Grant(); first != g && i >= l.Judged {
			reentries[first] = append(reentries[first], i)
		}
		for _, at := range reentries[g] {
			l.linkReentry(i, at, later.other)
		}
	}
}

// linkReentry finds for a re-entry the first newer grant that had returned before it. A
// re-entry counts as old as the grant of its holder, which is the i-th lease. It need not have
// been under way when the newer grant returned.
func (l *Lock) linkReentry(i, at int, other []int) {
	c := l.Leases[at]
	for j := other[i]; j < at; j++ {
		if g := l.Leases[j]; g.Process != c.Process && g.newer(c) {
			c.Next = g
			return
		}
	}
}

// A laterLeases finds, from each place in a list of leases, the next ones of some kind.
type laterLeases struct {
	next  []int // the place of the first later one
	other []int // the same, of another process
}

// laterThan walks the list once, from its end: the search from every place would be quadratic in
// the leases of a piece.
func laterThan(all []*Lease, of func(*Lease) bool) laterLeases {
	n := len(all)
	l := laterLeases{make([]int, n), make([]int, n)}
	for i := n - 1; i >= 0; i-- {
		j := i + 1
		if j < n && !of(all[j]) {
			j = l.next[j]
		}
		l.next[i], l.other[i] = j, j
		if j < n && all[j].Process == all[i].Process {
			l.other[i] = l.other[j]
		}
	}
	return l
}

// linkFrom finds the next grant of the i-th lease. Grants that may be older and returned later were
// all under way when it returned, so there is at most one of each process.
func (l *Lock) linkFrom(run *Run, i int, later laterLeases) {
	g, j := l.Leases[i], later.other[i]
	for j < len(l.Leases) {
		c := l.Leases[j]
		switch {
		case c.Process == g.Process:
			j = later.other[j]
			continue
		case g.newer(c):
			if j >= l.Judged {
				c.Next = g
			}
		case run.surelyNewer(c, g):
			if i >= l.Judged {
				g.Next = c
			}
			return
		}
		j = later.next[j]
	}
}

// newer reports whether the tokens show that l was granted after m, and the times do not show the
// opposite.
func (l *Lease) newer(m *Lease) bool {
	return l.Token > m.Token && m.Token != 0 && !l.Before(m)
}

// surelyNewer reports whether a lease that returned later than another was also granted later: its
// token shows it, or nothing can have kept its answer for so long.
func (s *Run) surelyNewer(l, than *Lease) bool {
	if l.Token != 0 && than.Token != 0 || than.Before(l) || !s.Options.OnlyWatched() {
		return true // where leases declare a validity, the validity decides
	}
	from, to := than.Granted(), l.Granted()
	return to-from > s.Idle(l.Client, from, to, true)+s.NoticeTakes(from, to)
}
