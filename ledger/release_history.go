package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A History is what the program of a finding came to with the releases of a library that were
// tried, oldest first.
type History struct {
	Finding, Library string
	Tried            []Release // one for each version
	Stale            string    // the day of the latest line, if the program has changed since; else ""
}

// Histories puts lines together by findings, in the order of their names. program returns the sum
// of a finding's program as it is. Of several lines about a version the latest counts, but one in
// which the failure showed counts before all others.
func Histories(lines []Release, program func(finding string) (string, error)) (all []History, err error) {
	by := map[string][]Release{}
	for _, r := range lines {
		by[r.Finding] = append(by[r.Finding], r)
	}
	for finding, lines := range by {
		now, err := program(finding)
		if err != nil {
			return nil, err
		}
		all = append(all, historyOf(lines, now))
	}
	slices.SortFunc(all, func(a, b History) int { return cmp.Compare(a.Finding, b.Finding) })
	return all, nil
}

func historyOf(lines []Release, now string) History {
	latest := slices.MaxFunc(lines, func(a, b Release) int { return cmp.Compare(a.Date, b.Date) })
	h := History{Finding: latest.Finding, Library: latest.Library}
	if !slices.ContainsFunc(lines, func(r Release) bool { return r.Program == now }) {
		now = latest.Program
		h.Stale, _, _ = strings.Cut(latest.Date, "T")
	}
	by := map[string]Release{}
	for _, r := range lines {
		was, ok := by[r.Release]
		if r.Program == now && r.Library == h.Library && (!ok || was.Outcome != Shows || r.Outcome == Shows) {
			by[r.Release] = r
		}
	}
	for _, r := range by {
		h.Tried = append(h.Tried, r)
	}
	slices.SortFunc(h.Tried, func(a, b Release) int { return CompareVersions(a.Release, b.Release) })
	return h
}

// Current returns what was tried with the program as it is.
func (h History) Current() []Release {
	if h.Stale != "" {
		return nil
	}
	return h.Tried
}

// answered are the releases with which the program could be run.
func (h History) answered() []Release {
	return slices.DeleteFunc(slices.Clone(h.Tried), func(r Release) bool { return r.Outcome != Shows && r.Outcome != NotSeen })
}

// A Change is a release from which on the failure shows, or does not show any more.
type Change struct {
	Release
	After string // the last that was tried before it; "": none could be run
	Exact bool   // no release lies between the two
}

// Changes returns the releases with which the outcome changes, oldest first. The first is that
// with which the program could be run at all.
func (h History) Changes() (list []Change) {
	before := Release{}
	for _, r := range h.answered() {
		if r.Outcome != before.Outcome {
			list = append(list, Change{r, before.Release, r.Previous == before.Release})
		}
		before = r
	}
	return list
}

// String says since when and until when the failure shows: "since v4.1.0 (2021-05-02)".
func (h History) String() string {
	var parts []string
	for i, c := range h.Changes() {
		switch {
		case c.Outcome == Shows:
			parts = append(parts, c.since(h))
		case i > 0:
			parts = append(parts, c.until(h))
		}
	}
	switch answered := h.answered(); {
	case len(answered) == 0:
		parts = []string{"not known: the program runs with no release"}
	case len(parts) == 0:
		parts = []string{"in none of the " + strconv.Itoa(len(answered)) + " releases with which the program runs"}
	}
	text := strings.Join(parts, ", ")
	if h.Stale != "" {
		text += stale(h.Stale)
	}
	return text
}

// since says with which release a failure begins to show.
func (c Change) since(h History) string {
	switch {
	case c.After == "" && c.Previous == "":
		return "since the oldest release that is listed, " + c.name()
	case c.After == "" && h.tried(c.Previous) == nil:
		return "in " + c.name() + ", the oldest that was tried and runs"
	case c.After == "":
		return "since " + c.name() + ", the oldest with which the program runs"
	}
	return "since " + c.name() + ", not in " + c.After + h.gap(c)
}

// until says with which release a failure no longer shows.
func (c Change) until(h History) string {
	return "until " + c.After + ", no longer in " + c.name() + h.gap(c)
}

// gap says what is known of the releases between the two of a change.
func (h History) gap(c Change) string {
	switch {
	case c.Exact:
		return ""
	case h.unbuilt(c):
		return " (no release between them runs)"
	}
	return " (the releases between were not tried)"
}

// unbuilt reports whether all releases before a change, back to the last that answered, were tried.
func (h History) unbuilt(c Change) bool {
	for previous := c.Previous; previous != c.After; {
		r := h.tried(previous)
		if r == nil {
			return false
		}
		previous = r.Previous
	}
	return true
}

// tried returns what a release came to; nil if it was not tried.
func (h History) tried(release string) *Release {
	if i := slices.IndexFunc(h.Tried, func(r Release) bool { return r.Release == release }); i >= 0 {
		return &h.Tried[i]
	}
	return nil
}

// name is the release with its day.
func (c Change) name() string {
	if c.Day == "" {
		return c.Release.Release
	}
	return fmt.Sprintf("%s (%s)", c.Release.Release, c.Day)
}

// Count says of how many releases an outcome is known: "9 of 43".
func (h History) Count() string {
	most := 0
	for _, r := range h.Tried {
		most = max(most, r.Releases)
	}
	return fmt.Sprintf("%d of %d", len(h.Tried), most)
}

// CompareVersions compares two versions as semantic versioning does: v1.10.0 comes after v1.9.0, and
// v2.0.0-beta.1 before v2.0.0. What stands behind a plus does not count.
func CompareVersions(a, b string) int {
	a, preA := split(a)
	b, preB := split(b)
	if c := comparePoints(a, b); c != 0 {
		return c
	}
	if preA == "" || preB == "" {
		return cmp.Compare(len(preB), len(preA)) // what has none comes last
	}
	return comparePoints(preA, preB)
}

// split returns the numbers of a version, and what a pre-release adds to them.
func split(version string) (numbers, pre string) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	numbers, pre, _ = strings.Cut(version, "-")
	return numbers, pre
}

// IsPreRelease reports whether a version comes before the release that it is named after.
func IsPreRelease(version string) bool {
	_, pre := split(version)
	return pre != ""
}

// comparePoints compares what stands between points: numbers as such, and before words.
func comparePoints(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		n, errA := strconv.Atoi(a)
		m, errB := strconv.Atoi(b)
		switch {
		case errA == nil && errB == nil:
			return cmp.Compare(n, m)
		case errA == nil:
			return -1
		case errB == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
}
