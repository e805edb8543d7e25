package checker

import (
	"cmp"
	"slices"
)

// linkNext finds for every lease the grant to another process that took the lock from it. That is
// the first one that returned later and was not granted before, for an answer
// can be late: that of a waiter that was stopped when the lock was granted to it. The lock is
// then taken from the waiter, by the newer grant that returned before.
func (v *view) linkNext(l *lockView) {
	all := l.leases
	slices.SortStableFunc(all, func(a, b *lease) int { return cmp.Compare(a.granted(), b.granted()) })
	other := make([]int, len(all)) // place of the first later one of another process
	reentries := map[*lease][]int{}
	for i := len(all) - 1; i >= 0; i-- {
		j := i + 1
		if j < len(all) && all[j].process == all[i].process {
			j = other[j]
		}
		other[i] = j
		v.linkFrom(l, i, other)
		if g := all[i].grant(); g != all[i] && i >= l.judged {
			reentries[g] = append(reentries[g], i)
		}
		for _, at := range reentries[all[i]] {
			l.linkReentry(i, at, other)
		}
	}
}

// linkReentry finds for a re-entry the first newer grant that had returned before it. A re-entry is as old as the
// grant of its holder, the i-th, but need not have been under way when the other returned.
func (l *lockView) linkReentry(i, at int, other []int) {
	c := l.leases[at]
	for j := other[i]; j < at; j++ {
		if g := l.leases[j]; g.process != c.process && g.newer(c) {
			c.next = g
			return
		}
	}
}

// linkFrom finds the next grant of the i-th. Those that may be older and returned later were all
// under way when it returned, so there is at most one of each process.
func (v *view) linkFrom(l *lockView, i int, other []int) {
	g, j := l.leases[i], other[i]
	for j < len(l.leases) {
		c := l.leases[j]
		switch {
		case c.process == g.process:
			j = other[j]
			continue
		case g.newer(c):
			if j >= l.judged {
				c.next = g
			}
		case v.surelyNewer(c, g):
			if i >= l.judged {
				g.next = c
			}
			return
		}
		j++
	}
}

// newer tells by the tokens that l was granted after m, unless the times say that m was.
func (l *lease) newer(m *lease) bool {
	return l.token > m.token && m.token != 0 && !l.before(m)
}

// surelyNewer tells of a lease that returned later than another that it was also granted
// later: by its token, or because nothing was there that could have kept its answer so long.
func (v *view) surelyNewer(l, than *lease) bool {
	if l.token != 0 && than.token != 0 || than.before(l) || !v.onlyWatched() {
		return true // where leases declare a validity, that decides
	}
	from, to := than.granted(), l.granted()
	return to-from > v.idle(l.client, from, to, true)+v.noticeTakes(from, to)
}
