package story

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report"
	"locktorture/report/diagram"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// A teller turns a history into a story, entry by entry.
type teller struct {
	run    report.Run
	h      history.History
	story  Story
	events []event

	locks   []string        // in the order of their first use
	clients int             // whose number is greater are left out
	node    string          // the only node of a lock that has one: it is the lock
	calls   map[int]int     // open calls, by process: 1 + their row, 0 if they have none yet
	named   map[string]bool // entries that the checker names
	leases  grants
	takes   map[int64][]int64 // lease → those that it overtakes
	shown   map[string]string // owner value last seen, by node and lock
	ends    []validity
	open    map[int]history.Op // calls, by process
	faults  votes.Faults
	talks   map[int]bool    // clients of whose messages there are rows
	servers map[string]bool // that have said something
}

// A validity is the end of a lease as its holder last knew it, or of the key on a server.
type validity struct {
	at    int64
	lease int64 // 0: it is a server's
	actor string
	label string // of a server's
}

// rehearsal reports whether an entry only makes connections warm.
func rehearsal(op history.Op) bool { return strings.HasSuffix(op.Lock, ".warm") }

// shortNode is "3" for "redis-3".
func shortNode(n string) string {
	if i := strings.LastIndexByte(n, '-'); i >= 0 && i+1 < len(n) {
		return words.Short(n[i+1:], 6)
	}
	return words.Short(n, 6)
}

// concerns reports whether an entry is part of the story.
func (t *teller) concerns(op history.Op) bool {
	return op.Client <= t.clients && !rehearsal(op) && (op.Process != history.Harness || op.F == history.Probe)
}

func (t *teller) add(e event) int {
	t.events = append(t.events, e)
	return len(t.events)
}

func (t *teller) lock(op history.Op) string {
	return fmt.Sprintf("L%d", max(0, slices.Index(t.locks, op.Lock)))
}

func client(op history.Op) string { return fmt.Sprintf("C%d", op.Client) }

func (t *teller) entry(i int, op history.Op) {
	switch {
	case op.F == history.Fault && op.Type != history.Fail, op.F == history.Heal:
		t.fault(op)
	case op.F == history.Probe:
		t.sight(op)
	case op.F == history.Crash: // the fault that killed it tells it
	case op.F == history.Lost:
		t.pending(op.Process)
		t.add(event{time: op.Time, from: t.lock(op), to: client(op), label: fmt.Sprintf("notice: lease %d is lost", op.Lease), class: "bad", named: t.named[diagram.Key(op)]})
	case op.Process < 0:
	case op.Type == history.Invoke:
		t.pending(op.Process)
		t.open[op.Process], t.calls[op.Process] = op, 0
	default:
		if op.F != history.Ask || op.Type != history.OK {
			t.pending(op.Process)
		}
		t.answer(op)
	}
}

// pending gives every call that is still open a row of its own once something else happens.
func (t *teller) pending(but int) {
	for _, p := range sortedKeys(t.open) {
		if op := t.open[p]; p != but && t.calls[p] == 0 && op.F != history.Ask {
			to, label := t.lock(op), string(op.F)
			if op.Store != "" {
				to, label = "S"+diagram.StoreName(op), access(op)+" …"
			}
			t.calls[p] = t.add(event{time: op.Time, from: client(op), to: to, label: label, class: "call", open: true, named: t.named[diagram.Key(op)]})
		}
	}
}

func sortedKeys(m map[int]history.Op) []int {
	var out []int
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// answer tells how a call ended.
func (t *teller) answer(op history.Op) {
	row := t.calls[op.Process]
	delete(t.open, op.Process)
	delete(t.calls, op.Process)
	e := event{time: op.Time, from: t.lock(op), to: client(op), class: diagram.AnswerClass(op), named: t.named[diagram.Key(op)]}
	switch {
	case op.F == history.Ask && op.Type == history.OK:
		t.valid(op)
		return
	case op.F == history.Ask:
		e.from, e.label, e.class = e.to, diagram.AskLabel(op), diagram.AskClass(op)
	case op.Store != "" && op.Type == history.OK:
		e.from, e.to, e.label, e.sent = client(op), "S"+diagram.StoreName(op), access(op), row
		if row > 0 {
			e.label += " arrives"
			t.events[row-1].to = t.events[row-1].from
			t.events[row-1].label = strings.TrimSuffix(t.events[row-1].label, " …") + " is sent"
		}
	case op.Store != "":
		e.from, e.label = "S"+diagram.StoreName(op), access(op)+" "+refusal(op)
	case op.F == history.Acquire || op.F == history.Try:
		e.label = diagram.GrantLabel(op)
		if op.Type == history.OK {
			t.granted(op)
		}
	default: // release, renew
		e.from, e.to, e.label = e.to, e.from, string(op.F)+outcomeOf(op)
		if op.F == history.Release {
			t.released(op)
		}
	}
	if op.Store == "" && op.F != history.Ask && t.talks[op.Client] && t.node != "" { // its messages are the arrows
		e.from, e.to = client(op), client(op)
	}
	t.add(e)
}

// outcomeOf is ": refused" for what was not answered with yes.
func outcomeOf(op history.Op) string {
	switch op.Type {
	case history.OK:
		return ""
	case history.Fail:
		return ": refused"
	}
	return ": no answer"
}

// refusal says why a store did not carry out an operation.
func refusal(op history.Op) string {
	if op.Refused == history.ByStore {
		return "refused"
	}
	return strings.TrimPrefix(outcomeOf(op), ": ")
}

// access is "write n = 1 (token 33)".
func access(op history.Op) string {
	_, key, ok := strings.Cut(op.Key, "/")
	if !ok {
		key = op.Key
	}
	text := fmt.Sprintf("%s %s", op.F, words.Short(key, 16))
	if op.Value != "" {
		text += " = " + words.Short(op.Value, 16)
	}
	if op.Token > 0 && op.Store == history.Fenced {
		text += fmt.Sprintf(" (token %d)", op.Token)
	}
	return text
}
