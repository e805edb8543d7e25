package wire

// mostAsked bounds the requests whose replies are waited for.
const mostAsked = 10_000

// Pairs finds the request of each reply where replies come in the order of requests. After a
// gap nobody knows how many replies are still to come. Replies before the next request are
// then those; and where several requests are under way at once, no reply has a request any
// more.
type Pairs struct {
	asked  []string
	gap    bool // there was one
	unsure bool // of every pair to come
}

// Ask notes a request.
func (p *Pairs) Ask(text string) {
	if p.gap && len(p.asked) > 0 || len(p.asked) >= mostAsked {
		p.unsure = true
	}
	if p.unsure {
		p.asked = nil
		return
	}
	p.asked = append(p.asked, text)
}

// Answered returns the request that a reply answers, "" if that is not known.
func (p *Pairs) Answered() string {
	if len(p.asked) == 0 {
		return ""
	}
	text := p.asked[0]
	p.asked = p.asked[1:]
	return text
}

// Next returns the request whose reply goes on, "" if that is not known.
func (p *Pairs) Next() string {
	if len(p.asked) == 0 {
		return ""
	}
	return p.asked[0]
}

// Gap forgets what was asked.
func (p *Pairs) Gap() { p.asked, p.gap = nil, true }
