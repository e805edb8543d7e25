package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// The events of a point.
const (
	Send  = "send"  // a client sends a command
	Reply = "reply" // a server answers a command
	Gate  = "gate"  // a client is about to take a step of its work
)

// A Point is a place in a run at which a fault can strike. Its text, "c1 send SET redis-2 #3", does
// not depend on the time.
type Point struct {
	Client  int    // number of the client, from 1
	Kind    string // Send, Reply or Gate
	What    string // "SET", "SET=OK", "read"
	Node    int    // number of the server, from 1; 0 at a gate, and at messages of a cluster
	Server  string // Etcd for messages between a client and any server of etcd; "": a Redis, or a gate
	Ordinal int    // number among the points that are equal otherwise, from 1
}

// Etcd is the Point.Server of messages from and to etcd.
const Etcd = "etcd"

// Limits of a point.
const (
	mostClients  = 1000
	mostNodes    = 99
	mostOrdinals = 1_000_000
)

var (
	pointForm = regexp.MustCompile(`^c([0-9]{1,7}) (send|reply|gate) ([!-~]{1,60})(?: (?:redis-([0-9]{1,7})|(etcd)))? #([0-9]{1,7})$`)

	errPoint = errors.New(`a point is "c1 send SET redis-1 #1", "c1 reply SET=OK redis-1 #1" or "c1 gate write #1"`)
)

// ParsePoint parses the text of String, and no other form.
func ParsePoint(name string) (Point, error) {
	m := pointForm.FindStringSubmatch(name)
	if m == nil {
		return Point{}, errPoint
	}
	p := Point{Kind: m[2], What: m[3], Server: m[5]}
	for _, n := range []struct {
		text, what string
		most       int
		to         *int
	}{{m[1], "clients", mostClients, &p.Client}, {m[4], "servers", mostNodes, &p.Node}, {m[6], "points of a name", mostOrdinals, &p.Ordinal}} {
		if n.text == "" {
			continue
		}
		*n.to, _ = strconv.Atoi(n.text) // it consists of a few digits
		if *n.to < 1 || *n.to > n.most || n.text[0] == '0' {
			return Point{}, fmt.Errorf("%s are numbered from 1 to %d, not %s", n.what, n.most, n.text)
		}
	}
	switch {
	case p.Kind == Gate && (p.Node > 0 || p.Server != ""):
		return Point{}, fmt.Errorf("a gate belongs to a client, not to a server: %w", errPoint)
	case p.Kind != Gate && p.Node == 0 && p.Server == "":
		return Point{}, fmt.Errorf("the point of a message must name its server: %w", errPoint)
	}
	return p, nil
}

// String returns the name of the point.
func (p Point) String() string { return fmt.Sprintf("%s #%d", p.Series(), p.Ordinal) }

// Series returns the name without the ordinal, which is common to the points that are counted
// together.
func (p Point) Series() string {
	if p.Kind == Gate {
		return fmt.Sprintf("c%d gate %s", p.Client, p.What)
	}
	return fmt.Sprintf("c%d %s %s %s", p.Client, p.Kind, p.What, cmp.Or(p.Server, fmt.Sprintf("redis-%d", p.Node)))
}

// Class returns the name without numbers: "send SET", "reply SET=OK", "gate write".
func (p Point) Class() string { return p.Kind + " " + p.What }
