package site

import (
	"slices"
	"strings"

	"locktorture/ledger"
)

// A lockView is what the page of a lock shows.
type lockView struct {
	lock
	Library string
	Faults  []section // under which it was run
	Scripts []*cell   // which it was played in
	Other   []*cell   // of other kinds: searches, benches
	Missing []string  // faults under which it was not run
	Without []reason  // faults that it cannot suffer
	History []release // of findings about its libraries
}

// A section is a fault with the cells of a lock.
type section struct {
	Fault fault
	Cells []*cell
}

// A reason says why a lock cannot suffer a fault.
type reason struct{ Fault, Why string }

func (d *data) lockPage(l lock) view {
	v := lockView{lock: l, Library: l.library}
	for _, f := range d.faults {
		switch m := d.under(l.Name, f.Name); {
		case len(m.Cells) > 0:
			v.Faults = append(v.Faults, section{f, m.Cells})
		case m.Why != "":
			v.Without = append(v.Without, reason{f.Name, m.Why})
		default:
			v.Missing = append(v.Missing, f.Name)
		}
	}
	for _, c := range d.cells {
		switch {
		case c.Lock != l.Name || c.Kind == ledger.Run:
		case c.Kind == ledger.Scenario:
			v.Scripts = append(v.Scripts, c)
		default:
			v.Other = append(v.Other, c)
		}
	}
	v.History = d.history(l)
	return view{kind: "lock", title: l.Name, up: "../", data: v}
}

// history is what findings about the libraries of a lock came to.
func (d *data) history(l lock) (list []release) {
	for _, f := range d.findings {
		if f.Library == "" || !madeOf(l, f) {
			continue
		}
		list = append(list, release{f, d.releasesOf(f.Name)})
	}
	return list
}

// madeOf reports whether a lock is made of a finding's library. A driver that has no run yet is known by
// what is said about it.
func madeOf(l lock, f finding) bool {
	text := l.library
	if text == "" {
		text = strings.ReplaceAll(l.About, "'s ", ", ")
	}
	return slices.ContainsFunc(strings.Split(text, ", "), func(part string) bool {
		name, _, _ := strings.Cut(part, " ")
		return name == f.Short || name == f.Library
	})
}
