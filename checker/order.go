package checker

import (
	"cmp"
	"slices"
)

// linkNext finds for every lease the grant to another process that took the lock from it. That
// is the first one that returned later and was not granted before, for an answer can be late:
// that of a waiter that was stopped when the lock was granted to it. The lock is then taken
// from the waiter, by the newer grant that returned before. Readers take nothing from each
// other, and holders of permits nothing from anybody.
func (l *lockView) linkNext(run *survey) {
	all := l.leases
	slices.SortStableFunc(all, func(a, b *lease) int { return cmp.Compare(a.granted(), b.granted()) })
	later := laterThan(all, func(*lease) bool { return true })
	writers := laterThan(all, func(g *lease) bool { return !g.shared })
	reentries := map[*lease][]int{}
	for i, g := range slices.Backward(all) {
		switch {
		case g.permits > 0:
		case g.shared:
			l.linkFrom(run, i, writers)
		default:
			l.linkFrom(run, i, later)
		}
		if first := g.grant(); first != g && i >= l.judged {
			reentries[first] = append(reentries[first], i)
		}
		for _, at := range reentries[g] {
			l.linkReentry(i, at, later.other)
		}
	}
}

// linkReentry finds for a re-entry the first newer grant that had returned before it. A
// re-entry is as old as the grant of its holder, the i-th, but need not have been under way
// when the other returned.
func (l *lockView) linkReentry(i, at int, other []int) {
	c := l.leases[at]
	for j := other[i]; j < at; j++ {
		if g := l.leases[j]; g.process != c.process && g.newer(c) {
			c.next = g
			return
		}
	}
}

// A laterLeases leads through some leases of a list, from each place on.
type laterLeases struct {
	next  []int // the place of the first later one
	other []int // the same, of another process
}

func laterThan(all []*lease, of func(*lease) bool) laterLeases {
	n := len(all)
	l := laterLeases{make([]int, n), make([]int, n)}
	for i := n - 1; i >= 0; i-- {
		j := i + 1
		if j < n && !of(all[j]) {
			j = l.next[j]
		}
		l.next[i], l.other[i] = j, j
		if j < n && all[j].process == all[i].process {
			l.other[i] = l.other[j]
		}
	}
	return l
}

// linkFrom finds the next grant of the i-th. Those that may be older and returned later were
// all under way when it returned, so there is at most one of each process.
func (l *lockView) linkFrom(run *survey, i int, later laterLeases) {
	g, j := l.leases[i], later.other[i]
	for j < len(l.leases) {
		c := l.leases[j]
		switch {
		case c.process == g.process:
			j = later.other[j]
			continue
		case g.newer(c):
			if j >= l.judged {
				c.next = g
			}
		case run.surelyNewer(c, g):
			if i >= l.judged {
				g.next = c
			}
			return
		}
		j = later.next[j]
	}
}

// newer tells by the tokens that l was granted after m, unless the times say that m was.
func (l *lease) newer(m *lease) bool {
	return l.token > m.token && m.token != 0 && !l.before(m)
}

// surelyNewer tells of a lease that returned later than another that it was also granted
// later: by its token, or because nothing was there that could have kept its answer so long.
func (v *survey) surelyNewer(l, than *lease) bool {
	if l.token != 0 && than.token != 0 || than.before(l) || !v.o.onlyWatched() {
		return true // where leases declare a validity, that decides
	}
	from, to := than.granted(), l.granted()
	return to-from > v.idle(l.client, from, to, true)+v.noticeTakes(from, to)
}
