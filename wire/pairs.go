package wire

// mostAsked bounds the number of requests without a reply that are kept.
const mostAsked = 10_000

// Pairs finds the request of each reply if replies arrive in the order of requests. After a gap the
// number of missing replies is unknown. Replies before the next request are then treated as those;
// if several requests are under way at once, no later reply has a request.
type Pairs struct {
	asked  []string
	gap    bool // there was a gap
	unsure bool // all later pairs are uncertain
}

// Ask records a request.
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

// Answered returns the request of a reply, or "" if it is unknown.
func (p *Pairs) Answered() string {
	if len(p.asked) == 0 {
		return ""
	}
	text := p.asked[0]
	p.asked = p.asked[1:]
	return text
}

// Next returns the request whose reply continues, or "" if it is unknown.
func (p *Pairs) Next() string {
	if len(p.asked) == 0 {
		return ""
	}
	return p.asked[0]
}

// Lose forgets all requests. No later reply has a request.
func (p *Pairs) Lose() { p.asked, p.unsure = nil, true }

// Gap forgets all requests.
func (p *Pairs) Gap() { p.asked, p.gap = nil, true }
