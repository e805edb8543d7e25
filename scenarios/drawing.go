package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// A drawing is a sequence diagram in the language of Mermaid, drawn from what
// happened.
type drawing struct {
	lines []string
	calls map[int]history.Op // open operations, by process
	drawn map[int]bool       // whose call has an arrow of its own
	ends  []ending           // of validities
}

// An ending is the end of a validity as its holder last knew it.
type ending struct {
	at     int64
	lease  int64
	client int
}

// Drawing draws a history and marks what the checker found.
func Drawing(h history.History, r checker.Result) string {
	d := drawing{calls: map[int]history.Op{}, drawn: map[int]bool{}}
	var found []checker.Anomaly
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			if a.Kind != "nonlinearizable" {
				found = append(found, a)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b checker.Anomaly) int { return cmp.Compare(complete(a), complete(b)) })
	for i, op := range h {
		if op.F == history.Probe || op.Process == history.Harness {
			continue
		}
		d.pending(op.Process)
		d.validities(op.Time)
		d.entry(op, i > 0 && h[i-1].Type == history.Invoke && h[i-1].Process == op.Process)
		for len(found) > 0 && complete(found[0]) <= op.Time && op.Type != history.Invoke {
			d.note("L,S", "!! "+found[0].Kind)
			found = found[1:]
		}
	}
	for _, a := range found {
		d.note("L,S", "!! "+a.Kind)
	}
	return "sequenceDiagram\n" + parties(h) + strings.Join(d.lines, "")
}

// complete is the time of the last operation that proves an anomaly.
func complete(a checker.Anomaly) int64 {
	t := a.Time
	for _, op := range a.Ops {
		if op.F != history.Probe {
			t = max(t, op.Time)
		}
	}
	return t
}

// parties declares the lifelines in their order.
func parties(h history.History) string {
	var clients []int
	for _, op := range h {
		if op.Process >= 0 && op.Client > 0 && !slices.Contains(clients, op.Client) {
			clients = append(clients, op.Client)
		}
	}
	slices.Sort(clients)
	text := "  participant L as lock\n"
	for _, c := range clients {
		text += fmt.Sprintf("  participant C%d as client %d\n", c, c)
	}
	return text + "  participant S as store\n"
}

func (d *drawing) line(format string, args ...any) {
	d.lines = append(d.lines, "  "+strings.ReplaceAll(fmt.Sprintf(format, args...), ";", ",")+"\n")
}

func (d *drawing) note(over, text string) { d.line("Note over %s: %s", over, text) }

// validities notes the validities that are over by now.
func (d *drawing) validities(now int64) {
	d.ends = slices.DeleteFunc(d.ends, func(e ending) bool {
		if e.at < now {
			d.note(fmt.Sprintf("C%d", e.client), fmt.Sprintf("%s the validity of lease %d is over", at(e.at), e.lease))
		}
		return e.at < now
	})
}

func at(t int64) string { return fmt.Sprintf("%.2f s", float64(t)/1e9) }

// entry draws one entry. answered tells that the entry before was its call.
func (d *drawing) entry(op history.Op, answered bool) {
	switch {
	case op.F == history.Fault && op.Type != history.Fail:
		d.note(struck(op), at(op.Time)+" "+op.Value)
	case op.F == history.Heal:
		d.note(struck(op), at(op.Time)+" "+op.Key+" over")
	case op.F == history.Crash:
	case op.F == history.Lost:
		d.line("L-->>C%d: %s told that lease %d is lost", op.Client, at(op.Time), op.Lease)
	case op.Type == history.Invoke:
		d.calls[op.Process] = op
		d.drawn[op.Process] = false
	default:
		d.answer(op, answered)
	}
}

// struck says over whom the note of a fault stands.
func struck(op history.Op) string {
	if op.Client > 0 {
		return fmt.Sprintf("C%d", op.Client)
	}
	return "L"
}

// pending gives every call that is still open an arrow of its own, once
// something else happens.
func (d *drawing) pending(but int) {
	for _, p := range sorted(d.calls) {
		if op := d.calls[p]; p != but && !d.drawn[p] {
			d.drawn[p] = true
			d.line("%s", call(op))
		}
	}
}

func sorted(m map[int]history.Op) []int {
	var out []int
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func call(op history.Op) string {
	if op.Store != "" {
		return fmt.Sprintf("C%d-)S: %s %s sent", op.Client, at(op.Time), access(op))
	}
	return fmt.Sprintf("C%d-)L: %s %s", op.Client, at(op.Time), op.F)
}

// access is "write 1 (token 33)".
func access(op history.Op) string {
	_, key, _ := strings.Cut(op.Key, "/")
	text := fmt.Sprintf("%s %s", op.F, key)
	if op.Value != "" {
		text += " = " + op.Value
	}
	if op.Store == history.Fenced {
		text += fmt.Sprintf(" (token %d)", op.Token)
	}
	return text
}

func (d *drawing) answer(op history.Op, answered bool) {
	inv := d.calls[op.Process]
	delete(d.calls, op.Process)
	when := at(op.Time)
	switch {
	case op.F == history.Ask && op.Type == history.OK:
		d.ends = slices.DeleteFunc(d.ends, func(e ending) bool { return e.lease == op.Lease })
		if op.UntilMax > 0 && op.UntilMax < history.Never {
			d.ends = append(d.ends, ending{op.UntilMax, op.Lease, op.Client})
		}
	case op.F == history.Ask:
		d.note(fmt.Sprintf("C%d", op.Client), when+" asks its lease: it is over")
	case op.Store != "" && op.Type == history.OK && (answered || !d.drawn[op.Process]):
		d.line("C%d->>S: %s %s", op.Client, when, access(op))
	case op.Store != "" && op.Type == history.OK:
		d.note("S", fmt.Sprintf("%s the %s of client %d arrives", when, access(op), op.Client))
	case op.Store != "":
		d.line("S--xC%d: %s %s: %s", op.Client, when, access(op), outcome(op))
	case op.Type == history.OK && op.F != history.Release:
		text := fmt.Sprintf("granted, lease %d", op.Lease)
		if op.Token > 0 {
			text += fmt.Sprintf(", token %d", op.Token)
		}
		d.line("L->>C%d: %s %s", op.Client, when, text)
	default:
		if op.F == history.Release && op.Type != history.Info {
			d.ends = slices.DeleteFunc(d.ends, func(e ending) bool { return e.lease == op.Lease })
		}
		d.line("C%d->>L: %s %s: %s", op.Client, when, inv.F, outcome(op))
	}
}

func outcome(op history.Op) string {
	switch op.Type {
	case history.OK:
		return "done"
	case history.Fail:
		return "refused"
	}
	return "no answer"
}
