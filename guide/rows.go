package guide

import (
	"fmt"
	"strings"

	"github.com/kballard/go-shellquote"

	"locktorture/ledger"
)

// head returns the name of a fault in tables.
func head(nemesis string) string {
	for _, f := range injected() {
		if f.nemesis == nemesis {
			return f.head
		}
	}
	return nemesis
}

// scheduler is the table of locks that keep a job of a scheduler from being run twice.
func (d *Data) scheduler() (string, error) {
	var b strings.Builder
	b.WriteString("|lock, TTL 10 s|fault|seen|\n|---|---|---|\n")
	for _, s := range schedulers() {
		w := d.scheduled(s.lock, s.nemesis)
		c, err := d.book.Cell(w.Subject)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "|[`%s`](%s#scheduler)|%s|%s%s|\n", s.lock, cellsPage, head(s.nemesis), c, kinds(c))
	}
	return b.String(), nil
}

// plays is a table of scripts.
func (d *Data) plays(name string) (string, error) {
	var b strings.Builder
	b.WriteString("|lock|script|seen|\n|---|---|---|\n")
	for _, w := range scripted()[name] {
		c, err := d.book.Cell(w.Subject)
		if err != nil {
			return "", err
		}
		variant := ""
		if w.Variant != "" {
			variant = ", " + w.Variant
		}
		fmt.Fprintf(&b, "|[`%s`](%s#scripts)|[%s](scenarios/%s.md)%s|%s%s|\n", w.Lock, cellsPage, w.Scenario, w.Scenario, variant, c, kinds(c))
	}
	return b.String(), nil
}

// kinds are the anomalies of a cell, behind its grade.
func kinds(c ledger.Cell) string {
	if found := c.Anomalies(); found != "" {
		return ": " + found
	}
	return ""
}

func command(w wanted) string { return shellquote.Join(w.command(0)...) }

// traits is the table of what each lock declares: tokens, whose clock counts, whether it renews.
func (d *Data) traits() (string, error) {
	var b strings.Builder
	b.WriteString("|lock|fencing token|clock that ends the lease|renews itself|\n|---|---|---|---|\n")
	for _, lock := range chosen() {
		l, ok := d.locks[lock]
		if !ok {
			return "", fmt.Errorf("there is no lock %s", lock)
		}
		clock := l.Traits.Clock
		if clock == "" {
			clock = "–"
		}
		fmt.Fprintf(&b, "|`%s`|%s|%s|%s|\n", lock, yes(l.Traits.Token), clock, yes(l.Traits.Renews))
	}
	return b.String(), nil
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
