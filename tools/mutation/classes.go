package main

import (
	"fmt"
	"slices"
	"strings"
)

// A class is what survivors have in common: why they are let live.
type class struct{ name, means string }

// open is the class of survivors that nobody has looked at, edge that of those which were
// classed by rule.
const open, edge = "open", "edge"

// byRule is the reason for a new survivor.
func byRule(m *mutant) reason {
	if m.mutator == boundary {
		return reason{edge, "no test has both sides equal"}
	}
	return reason{class: open}
}

// classes are all that survivors.txt may name, in the order in which they are shown.
var classes = []class{
	{open, "nobody has looked at it yet"},
	{"gap", "a wrong verdict could follow, and no quick test of the package would notice"},
	{"long", "random histories are compared here: the 200 of the quick run did not come to it"},
	{"tie", "two stamps are equal, or a limit is met to the nanosecond: somebody has looked, either answer is right, and no document prefers one"},
	{edge, "by rule: it differs only where two figures are equal, which they are in no test; nobody has argued that either answer is right"},
	{"shortcut", "the same verdict, found earlier or later; or how much is kept, and how often a clock is read"},
	{"masked", "another condition, or the one who calls, has settled it; in combination no input makes a difference"},
	{"excluded", "only a history that the validator or the reader refuses makes a difference"},
	{"text", "the verdict stays; a sentence, a hint or the choice among equal witnesses differs"},
}

// classNumber is the place of a class, -1 for what is none.
func classNumber(name string) int {
	return slices.IndexFunc(classes, func(c class) bool { return c.name == name })
}

// classTable shows how many survivors of each package are in each class.
func classTable(s survivors, pkgs []string) string {
	var b strings.Builder
	b.WriteString("| class | why they are let live | `" + strings.Join(pkgs, "` | `") + "` |\n")
	b.WriteString("|---|---|" + strings.Repeat("---|", len(pkgs)) + "\n")
	for _, c := range classes {
		fmt.Fprintf(&b, "| %s | %s |", c.name, c.means)
		for _, pkg := range pkgs {
			fmt.Fprintf(&b, " %d |", s.count(pkg, c.name))
		}
		b.WriteString("\n")
	}
	return b.String()
}
