package timeline

import (
	"cmp"
	"slices"
)

// linkNext finds for every lease the grant to another process that took the lock from it. That
// is the first one that returned later and was not granted before, for an answer can be late:
// that of a waiter that was stopped when the lock was granted to it. The lock is then taken
// from the waiter, by the newer grant that returned before. Readers take nothing from each
// other, and holders of permits nothing from anybody.
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
// re-entry is as old as the grant of its holder, the i-th, but need not have been under way
// when the other returned.
func (l *Lock) linkReentry(i, at int, other []int) {
	c := l.Leases[at]
	for j := other[i]; j < at; j++ {
		if g := l.Leases[j]; g.Process != c.Process && g.newer(c) {
			c.Next = g
			return
		}
	}
}

// A laterLeases leads through some leases of a list, from each place on.
type laterLeases struct {
	next  []int // the place of the first later one
	other []int // the same, of another process
}

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

// linkFrom finds the next grant of the i-th. Those that may be older and returned later were
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

// newer tells by the tokens that l was granted after m, unless the times say that m was.
func (l *Lease) newer(m *Lease) bool {
	return l.Token > m.Token && m.Token != 0 && !l.Before(m)
}

// surelyNewer tells of a lease that returned later than another that it was also granted
// later: by its token, or because nothing was there that could have kept its answer so long.
func (v *Run) surelyNewer(l, than *Lease) bool {
	if l.Token != 0 && than.Token != 0 || than.Before(l) || !v.Options.OnlyWatched() {
		return true // where leases declare a validity, that decides
	}
	from, to := than.Granted(), l.Granted()
	return to-from > v.Idle(l.Client, from, to, true)+v.NoticeTakes(from, to)
}
