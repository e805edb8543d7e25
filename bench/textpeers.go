package bench

import "fmt"

// Loses reports whether a ratio of rates says that the side is the slower one: its
// upper quartile too is below 1.
func (r *Ratio) Loses() bool { return r != nil && r.Value < 1 && r.High < 1 }

func (r *Ratio) outcome() string {
	switch {
	case r == nil:
		return "–"
	case r.Loses():
		return "slower"
	case r.Value > 1 && r.Low > 1:
		return "faster"
	}
	return "even"
}

// peers is our locks beside those of others.
func (r Report) peers() table {
	t := table{title: "our lock beside a library's, in turns on the same servers (rates: ours over theirs, with quartiles)",
		head: []string{"ours beside theirs", "what", "ours/s", "theirs/s", "ratio", "acquire p50", "release p50", "ours is"}}
	for _, p := range r.Peers {
		name := p.Ours + " beside " + p.Theirs
		for _, u := range p.Uncontended {
			ours, theirs := u.Side(p.Ours), u.Side(p.Theirs)
			if ours == nil || theirs == nil {
				continue
			}
			t.rows = append(t.rows, []string{name, plural(u.Clients, clientIn(u.Mode)), figures(ours.Rate.Median), figures(theirs.Rate.Median),
				between(ours.RateRatio), times(ours.AcquireRatio), times(ours.ReleaseRatio), ours.RateRatio.outcome()})
		}
		for i := 0; i+1 < len(p.Contended); i += 2 {
			theirs, ours := p.Contended[i], p.Contended[i+1]
			t.rows = append(t.rows, []string{name, fmt.Sprintf("hand-overs, %d clients", ours.Clients), figures(ours.HandOvers.Median),
				figures(theirs.HandOvers.Median), between(ours.OfFirst), "–", "–", ours.OfFirst.outcome()})
		}
		for i := 0; i+1 < len(p.Mixed); i += 2 {
			theirs, ours := p.Mixed[i], p.Mixed[i+1]
			t.rows = append(t.rows, []string{name, "reads, " + beside(ours.Clients), figures(ours.Reads.Median),
				figures(theirs.Reads.Median), between(ours.OfFirst), "–", "–", ours.OfFirst.outcome()})
		}
	}
	return t
}

// articleTable is the figures of articles beside ours.
func (r Report) articleTable() table {
	t := table{title: "figures of articles beside ours: operations a second; an acquire and a release count as two (absolute figures\n" +
		"hold for one machine only; the ratios to the first row hold on any machine)",
		head: []string{"what", "articles", "of the first", "ours", "of the first", "measured on"}}
	for _, a := range r.Articles {
		part := func(v float64) string {
			if v == 0 {
				return "–"
			}
			return fmt.Sprintf("%.2f", v)
		}
		t.rows = append(t.rows, []string{a.What, a.Theirs, part(a.OfFirst), figures(a.Ours) + "/s", part(a.OursOf), a.Backend})
	}
	return t
}
