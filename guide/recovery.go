package guide

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// recovery is the table of how soon the lock of a dead holder is free again.
func (d *Data) recovery() (string, error) {
	var b strings.Builder
	b.WriteString("|lock|TTL|deaths|p50|worst|declared maximum|\n|---|---|---|---|---|---|\n")
	for _, w := range d.deaths() {
		c, err := d.book.Cell(w.Subject)
		if err != nil {
			return "", err
		}
		ttl := w.ttl.String()
		if len(c.Freed) == 0 || c.Stale != nil {
			fmt.Fprintf(&b, "|`%s`|%s|*not measured*|||%s|\n", w.Lock, ttl, d.declared(w))
			continue
		}
		sorted := slices.Sorted(slices.Values(c.Freed))
		fmt.Fprintf(&b, "|`%s`|%s|%d|%s|%s|%s|\n", w.Lock, ttl, len(sorted),
			milliseconds(sorted[(len(sorted)-1)/2]), milliseconds(sorted[len(sorted)-1]), d.declared(w))
	}
	return b.String(), nil
}

// deaths are the runs in which holders die, with a short TTL and with a long one.
func (d *Data) deaths() (list []wanted) {
	for _, lock := range chosen() {
		list = append(list, d.cell(lock, "kill-client"))
	}
	return append(list, d.dying()...)
}

// declared is what a lock declares of how soon it is free.
func (d *Data) declared(w wanted) string {
	free := d.locks[w.Lock].Traits.FreeWithin
	if free == nil {
		return "–"
	}
	return free(w.ttl).Round(time.Millisecond).String()
}

func milliseconds(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }
