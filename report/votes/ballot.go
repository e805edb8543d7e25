package votes

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// A Ballot is how the servers answered the requests that a grant came of.
type Ballot struct {
	Grant   history.Op
	Answers []Answer
	servers int       // that could have been asked
	tries   []try     // of this client for this grant, the last of which it was granted
	said    []Message // of the lock, by everybody, up to the last grant that was asked about
}

// Round returns a ballot of which no grant came: what a client asked, and what it was answered.
func Round(client int, answers []Answer, servers []string) Ballot {
	b := Ballot{Grant: history.Op{Client: client}, Answers: slices.Clone(answers), servers: len(servers)}
	for _, v := range answers {
		b.Grant.Time = max(b.Grant.Time, v.at(), v.Reply.Left)
	}
	b.complete(servers)
	return b
}

// Of reports whether a request is one of this ballot's.
func (b Ballot) Of(request string) bool {
	return slices.ContainsFunc(b.Answers, func(v Answer) bool { return v.Asked() && v.Request.Text == request })
}

// Words sum up the answers: "redis-1 OK (its clock +2.700 s), redis-3 nil → 1 of 2". Only
// answers of which it is known what is a yes are counted; where all are the same, that is all:
// "5 of 5 OK".
func (b Ballot) Words(f Faults) string {
	var list []string
	alike := true
	for _, v := range b.Answers {
		text := v.Heard(b.Grant)
		if moved := f.Clock(v.Node, v.at()); moved != "" && v.Asked() {
			text += " (its clock " + moved + ")"
		}
		alike = alike && text == b.Answers[0].Heard(b.Grant)
		list = append(list, words.Word(v.Node)+" "+text)
	}
	yes, counted := b.count()
	if counted && alike && yes == len(list) {
		return of(yes, yes) + " " + b.Answers[0].Heard(b.Grant)
	}
	line := strings.Join(list, ", ")
	if counted {
		line += " → " + of(yes, len(b.Answers))
	}
	return line
}

// vote reports whether a majority of several servers was asked. A client that is sent on to
// another server asks two as well, and needs one.
func (b Ballot) vote() bool { return len(b.Answers) > 1 && 2*len(b.Answers) > b.servers }

// count counts the votes that the client had heard when it was granted the lock. It is not ok
// where it is not known of every request what a yes is.
func (b Ballot) count() (yes int, ok bool) {
	if !b.vote() {
		return 0, false
	}
	for _, v := range b.Answers {
		if v.Asked() && !counts(v.Request.Text) {
			return 0, false
		}
		if v.Yes() && v.heard(b.Grant) {
			yes++
		}
	}
	return yes, true
}

// unbroken is the space at which a drawing does not break a line.
const unbroken = '\u00a0'

func of(n, all int) string { return fmt.Sprintf("%d%cof%c%d", n, unbroken, unbroken, all) }
