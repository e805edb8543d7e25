package votes

import (
	"fmt"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// Left says what was left of the votes for a grant when next was granted: of each server that
// had said yes whether it still kept the key. "" if there is nothing to tell: a single server,
// or requests of which it is not known what a yes is. looks are the newest of each server.
//
// A server that says yes to somebody else has forgotten the key. One that says no keeps it, if
// it has said yes to nobody since. Of one that next did not hear of, the last look tells.
func (b Ballot) Left(next Ballot, f Faults, looks []history.Op) string {
	if _, ok := b.count(); !ok {
		return ""
	}
	var list []string
	had, left, unknown := 0, 0, 0
	for _, v := range b.Answers {
		if !v.Yes() {
			continue
		}
		had++
		what, why := b.kept(v, next, looks)
		switch what {
		case "kept":
			left++
		case "unknown":
			unknown++
		case "gone":
			if struck := f.between(v.Node, v.Reply.Came, next.Grant.Time); struck != "" {
				why += ", " + struck
			}
		}
		text := words.Word(v.Node) + " " + what
		if why != "" {
			text += " (" + why + ")"
		}
		list = append(list, text)
	}
	line := fmt.Sprintf("what remained of these votes when c%d was granted the lock: %s → %s", next.Grant.Client, strings.Join(list, ", "), of(left, had)+" kept")
	if unknown > 0 {
		line += fmt.Sprintf(", %d unknown", unknown)
	}
	return line
}

// kept says what became of a vote until next was granted, and how that is known.
func (b Ballot) kept(v Answer, next Ballot, looks []history.Op) (what, why string) {
	for _, m := range b.said { // whoever was told yes since
		since := m.Node == v.Node && m.Reply && m.Came > v.Reply.Came && m.Came <= next.Grant.Time
		if since && m.Of != v.Request.Text && grants(m.Of, m.Text) {
			return "gone", fmt.Sprintf("%s to c%d", words.Short(m.Text, 24), m.Client)
		}
	}
	for _, n := range next.Answers {
		if n.Node == v.Node && n.Refused() && n.Reply.Came <= next.Grant.Time {
			return "kept", fmt.Sprintf("%s to c%d", words.Short(n.Reply.Text, 24), next.Grant.Client)
		}
	}
	for _, op := range looks {
		if op.Node != v.Node || op.Lock != b.Grant.Lock || op.Time < v.Reply.Came || op.Time > next.Grant.Time {
			continue
		}
		switch until := op.Expiry(); {
		case op.Owner() != b.Grant.Owner():
			return "gone", "seen at " + words.At(op.Time)
		case until == 0 || until > next.Grant.Time:
			return "kept", "seen at " + words.At(op.Time)
		}
	}
	return "unknown", ""
}
