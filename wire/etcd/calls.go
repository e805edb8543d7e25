package etcd

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"locktorture/wire"
)

// Calls returns a function that names the messages in what is sent on a connection of a client to
// etcd, for the points of a schedule. A request is named by its method: "Txn"; a reply by its method
// and what it says: "Txn=yes".
func Calls() func(reply bool, b []byte) []string {
	d := New(numbers)
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

// outcome returns one word for a reply, whose text is the numbers of its fields.
func outcome(m wire.Message) string {
	has := func(number string) bool { return slices.Contains(strings.Fields(m.Text), number) }
	switch m.Name {
	case "Txn":
		if has(succeeded) {
			return "yes"
		}
		return "no"
	case "Watch":
		switch {
		case has(created):
			return "created"
		case has(canceled):
			return "canceled"
		case has(events):
			return "event"
		}
		return "progress"
	case "LeaseKeepAlive":
		if !has(ttl) {
			return "nil"
		}
	case "Range":
		if !has(kvs) {
			return "nil"
		}
		return "value"
	}
	return "ok"
}

// Numbers of fields in the replies of etcd. A field that is false, zero or empty is not sent.
const (
	succeeded = "2" // of Txn
	created   = "3" // of Watch
	canceled  = "4"
	events    = "11"
	ttl       = "3" // of LeaseKeepAlive
	kvs       = "2" // of Range
)

// numbers returns the numbers of the fields of a message, each with a space after it.
func numbers(_ string, _ bool, b []byte) (all string) {
	for len(b) > 0 {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 {
			break
		}
		all, b = all+strconv.Itoa(int(number))+" ", b[n:]
	}
	return all
}
