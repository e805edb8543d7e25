package votes

import (
	"locktorture/history"
	"locktorture/report/words"
)

// KeptBack is how long a message stays in the proxy before a drawing tells so.
const KeptBack = 5e6 // ns

// An Answer is what one server said to a request.
type Answer struct {
	Node    string
	Request Message // Came 0: it was not asked
	Reply   Message // Came 0: none was seen
}

// Yes reports whether the server granted what it was asked for, whoever heard of it.
func (v Answer) Yes() bool { return grants(v.Request.Text, v.Reply.Text) }

// Refused reports whether the server said that it does not.
func (v Answer) Refused() bool {
	return counts(v.Request.Text) && v.Reply.Came > 0 && !v.Yes() && !failed(v.Reply.Text)
}

// Asked reports whether a request came into the proxy of the server. A client that does not get
// a connection does not ask.
func (v Answer) Asked() bool { return v.Request.Came > 0 }

// Answered reports whether the client may have heard a reply.
func (v Answer) Answered() bool { return v.Reply.Came > 0 && v.Request.Left > 0 }

// heard reports whether the reply had reached the client when it was granted the lock.
func (v Answer) heard(grant history.Op) bool {
	return v.Reply.Left > 0 && v.Reply.Left <= grant.Time
}

// at returns when the server answered, or was asked.
func (v Answer) at() int64 { return max(v.Request.Came, v.Reply.Came) }

// Counts reports whether the answer was a vote for the grant: true and false are known only
// where it is known what a yes is.
func (v Answer) Counts(grant history.Op) (yes, known bool) {
	return v.Yes() && v.heard(grant), counts(v.Request.Text) || !v.Answered()
}

// Heard returns what the client heard of the server until it was granted the lock.
func (v Answer) Heard(grant history.Op) string {
	if !v.Answered() {
		return v.Fate(grant)
	}
	text := words.Short(v.Reply.Text, 24)
	switch stayed := v.Reply.Left - v.Reply.Came; {
	case v.Reply.Left == 0:
		return text + ", lost on its way"
	case !v.heard(grant):
		return text + ", too late"
	case stayed >= KeptBack:
		return text + ", kept back for " + words.Span(stayed)
	}
	return text
}

// Fate returns what became of a request without an answer.
func (v Answer) Fate(grant history.Op) string {
	switch {
	case !v.Asked():
		return "not asked"
	case v.Request.Left == 0:
		return "lost on its way"
	case v.Request.Left > grant.Time:
		return "kept back for " + words.Span(v.Request.Left-v.Request.Came)
	}
	return "no answer"
}
