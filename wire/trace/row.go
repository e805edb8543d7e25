package trace

import (
	"slices"
	"time"

	"locktorture/wire"
)

// What a row tells.
const (
	Message   = "message"   // a message came into the proxy
	Later     = "later"     // one that was kept back goes on
	Lost      = "lost"      // one that was kept back never will
	Connected = "connected" // a connection
	Ended     = "ended"     // one of its sides has closed it
	Missing   = "missing"   // something of this link was thrown away here, as the oldest of the recording
)

// A Row is a line of a trace.
type Row struct {
	Event    string `json:"event"`
	Time     int64  `json:"time"`              // ns
	Client   int    `json:"client,omitempty"`  // who opened the connection; 0: a node
	Process  int    `json:"process,omitempty"` // under which the client worked then
	From     string `json:"from,omitempty"`    // the node that opened the connection
	Node     string `json:"node,omitempty"`    // which it leads to; "": the primary of the moment
	Conn     int    `json:"conn,omitempty"`
	Reply    bool   `json:"reply,omitempty"` // of the server
	Protocol string `json:"protocol,omitempty"`
	Text     string `json:"text,omitempty"` // the message
	Of       string `json:"of,omitempty"`   // of a reply: the request that it answers
	// Try says which try of an acquire a request belongs to, of how many; 0: there was one, or it
	// is not known.
	Try   int `json:"try,omitempty"`
	Tries int `json:"tries,omitempty"`

	Bytes int  `json:"bytes,omitempty"`
	Raw   bool `json:"raw,omitempty"` // it could not be decoded
	// Left is when the message went on, ns, if that was soon after it came: else a later row
	// tells it. A message that was lost at once has Lost.
	Left int64 `json:"left,omitempty"`
	Lost bool  `json:"lost,omitempty"`
	// Came is, in a row that tells what became of an earlier message, when that came, ns.
	Came int64 `json:"came,omitempty"`

	message wire.Message
}

// A Filter says which rows are wanted. The zero Filter wants all of clients.
type Filter struct {
	Client int    // 0: all
	Node   string // "": all
	Lock   string // what a message, or the request that it answers, must mention; "": nothing
	// From and To bound the time; To 0: no bound.
	From, To time.Duration
	Peers    bool // what nodes say to each other too
	Control  bool // messages that only serve their protocol too
}

// link reports whether a link has rows that are wanted.
func (f Filter) link(client int, from, to string) bool {
	switch {
	case client == 0 && !f.Peers, f.Client > 0 && client != f.Client:
		return false
	}
	return f.Node == "" || slices.Contains([]string{from, to}, f.Node) || to == "" // it may lead there
}

// row reports whether a row is wanted.
func (f Filter) row(r *Row) bool {
	at := time.Duration(r.Time)
	if at < f.From || f.To > 0 && at > f.To {
		return false
	}
	if r.message.Control && !f.Control {
		return false
	}
	return f.Lock == "" || r.message.Mentions(f.Lock) || r.Event == Missing
}
