package etcd

import (
	"cmp"
	"strings"

	"locktorture/wire"
)

// Calls returns a function that names the messages in what is sent on a connection of a client to
// etcd, for the points of a schedule. A request is named by its method: "Txn"; a reply by its method
// and what it says: "Txn=yes".
func Calls() func(reply bool, b []byte) []string {
	d := New()
	return func(reply bool, b []byte) (names []string) {
		for _, said := range d.Decode(reply, b) {
			if what := nameOf(said); what != "" {
				names = append(names, what)
			}
		}
		return names
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
