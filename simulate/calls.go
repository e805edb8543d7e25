package simulate

import (
	"cmp"
	"strings"

	"locktorture/nemesis/points/schedule"
	"locktorture/wire"
	"locktorture/wire/etcd"
)

// A calls names the messages on a connection of a client to etcd. A request is named by its method:
// "send Txn"; a reply by its method and what it says: "reply Txn=yes".
type calls struct{ wire.Decoder }

// called reaches the points of what is sent on a connection of a client to etcd, in one direction.
func (c *conn) called(kind string, b []byte, m *message) {
	if c.client.client == 0 {
		return
	}
	if c.calls == nil {
		c.calls = &calls{etcd.New()}
	}
	for _, said := range c.calls.Decode(kind == schedule.Reply, b) {
		if what := nameOf(said); what != "" {
			c.point(kind, what, true, m)
		}
	}
}

// nameOf returns the name of a message of etcd; "" if it is no point.
func nameOf(m wire.Message) string {
	method, _, _ := strings.Cut(cmp.Or(m.Of, m.Name), " ")
	switch {
	case m.Control || m.Raw || m.Name == "goaway" || m.Name == "cancel" && m.Reply:
		return ""
	case !m.Reply:
		return m.Name
	case m.Name == "error":
		return method + "=error"
	}
	return m.Name + "=" + outcome(m)
}

// outcome returns one word for a reply.
func outcome(m wire.Message) string {
	has := func(text string) bool { return strings.Contains(" "+m.Text, " "+text) }
	switch m.Name {
	case "Txn":
		if has("succeeded=true") {
			return "yes"
		}
		return "no"
	case "Watch":
		switch {
		case has("created=true"):
			return "created"
		case has("canceled=true"):
			return "canceled"
		case has("events="):
			return "event"
		}
		return "progress"
	case "LeaseKeepAlive":
		if !has("TTL=") {
			return "nil"
		}
	case "Range":
		if !has("kvs=") {
			return "nil"
		}
		return "value"
	}
	return "ok"
}
