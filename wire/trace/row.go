package trace

import (
	"slices"
	"time"

	"locktorture/wire"
)

// The kinds of rows.
const (
	Message   = "message"   // a message arrived in the proxy
	Later     = "later"     // a held message was delivered
	Lost      = "lost"      // a held message was discarded
	Connected = "connected" // a connection was opened
	Ended     = "ended"     // one side closed the connection
	Missing   = "missing"   // the recording discarded the oldest data of this link here
)

// A Row is a line of a trace.
type Row struct {
	Event    string `json:"event"`
	Time     int64  `json:"time"`              // ns
	Client   int    `json:"client,omitempty"`  // the client that opened the connection; 0: a node
	Process  int    `json:"process,omitempty"` // process number of the client at this time
	From     string `json:"from,omitempty"`    // node that opened the connection
	Node     string `json:"node,omitempty"`    // destination; "": the current primary
	Conn     int    `json:"conn,omitempty"`
	Reply    bool   `json:"reply,omitempty"` // sent by the server
	Protocol string `json:"protocol,omitempty"`
	Text     string `json:"text,omitempty"` // the message
	Of       string `json:"of,omitempty"`   // for a reply: the request that it answers
	// Try is the number of the try within an acquire to which a request belongs. It is 0 if there
	// was one try, or if the number is unknown.
	Try   int `json:"try,omitempty"`
	Tries int `json:"tries,omitempty"`

	Bytes int  `json:"bytes,omitempty"`
	Raw   bool `json:"raw,omitempty"` // it could not be decoded
	// Left is the time of delivery in ns, if that was soon after the arrival. Otherwise a later row
	// reports it. A message that was discarded at once has Lost.
	Left int64 `json:"left,omitempty"`
	Lost bool  `json:"lost,omitempty"`
	// Came is the arrival in ns of the earlier message whose fate this row reports.
	Came int64 `json:"came,omitempty"`

	message wire.Message
}

// A Filter selects rows. The zero Filter selects all rows of clients.
type Filter struct {
	Client int    // 0: all
	Node   string // "": all
	Lock   string // text that a message, or its request, must mention; "": any
	// From and To bound the time. A To of 0 means no bound.
	From, To time.Duration
	Peers    bool // also messages between nodes
	Control  bool // also messages that belong only to their protocol
}

// link reports whether a link has selected rows.
func (f Filter) link(client int, from, to string) bool {
	switch {
	case client == 0 && !f.Peers, f.Client > 0 && client != f.Client:
		return false
	}
	return f.Node == "" || slices.Contains([]string{from, to}, f.Node) || to == "" // the link may lead there
}

// row reports whether a row is selected.
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
