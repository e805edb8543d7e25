package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktorture/internal/suggest"
)

// A Decision is one fault: one line of a schedule.
type Decision struct {
	At    Point
	Kind  Kind
	Nodes []int         // numbers of the servers that it strikes, from 1, ascending; none: the server of the message
	By    time.Duration // jump of a clock; negative: back
	For   time.Duration // time until the heal, in virtual time
	Lost  bool          // a restart loses the data
	// Leader means that it strikes the server that leads the others when its point is reached.
	// From then on, Nodes has its number.
	Leader bool
}

// leader is the value of nodes= for the server that leads the others.
const leader = "leader"

// Limits of a decision.
const (
	MostFor = time.Hour
	MostBy  = 24 * time.Hour
)

// String returns the decision as a line of a schedule.
func (d Decision) String() string {
	b := fmt.Appendf(nil, "at %v: %s", d.At, d.Kind)
	switch {
	case d.Leader:
		b = append(b, " nodes="+leader...)
	case len(d.Nodes) > 0:
		b = append(b, " nodes="...)
		for i, n := range d.Nodes {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
	}
	if d.By != 0 {
		b = fmt.Appendf(b, " by=%v", d.By)
	}
	if d.For != 0 {
		b = fmt.Appendf(b, " for=%v", d.For)
	}
	if d.Lost {
		b = append(b, " data=lost"...)
	}
	return string(b)
}

// Strikes returns the servers, numbered from 1, that the decision strikes: the named ones, or the
// server of its message.
func (d Decision) Strikes() []int {
	if len(d.Nodes) == 0 && !d.Leader && d.At.Node > 0 && Forms()[d.Kind].Nodes != No {
		return []int{d.At.Node}
	}
	return d.Nodes
}

// Check returns nil, or the error in the decision alone, without regard to the clients and
// servers of a run.
func (d Decision) Check() error {
	if _, err := ParsePoint(d.At.String()); err != nil {
		return err
	}
	f, ok := Forms()[d.Kind]
	if !ok {
		return unknown(d.Kind)
	}
	nodes := f.Nodes
	if d.At.Kind == Gate {
		if !f.Gate {
			return fmt.Errorf("%s hits a message, not a client at its gate", d.Kind)
		}
	}
	if at := d.At.Kind == Gate || d.At.Server != "" && d.Kind != Hold && d.Kind != Reset; at && nodes == May {
		nodes = Must
	}
	err := errors.Join(nodes.check("nodes=", d.Leader || len(d.Nodes) > 0), f.By.check("by=", d.By != 0), f.For.check("for=", d.For != 0),
		f.Data.check("data=", d.Lost), d.checkNodes(), d.checkTimes())
	if err != nil {
		return fmt.Errorf("%s: %s", d.Kind, strings.ReplaceAll(err.Error(), "\n", ", "))
	}
	return nil
}

func (d Decision) checkNodes() error {
	last := 0
	for _, n := range d.Nodes {
		if n <= last || n > mostNodes {
			return fmt.Errorf("nodes must be numbers from 1 to %d, in ascending order, each only once", mostNodes)
		}
		last = n
	}
	return nil
}

func (d Decision) checkTimes() error {
	if d.For < 0 || d.For > MostFor {
		return fmt.Errorf("for= must be from 1ns to %v, not %v", MostFor, d.For)
	}
	if d.By < -MostBy || d.By > MostBy {
		return fmt.Errorf("by= must be at most %v in either direction, not %v", MostBy, d.By)
	}
	return nil
}

// unknown returns the error about an unknown kind.
func unknown(k Kind) error {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return fmt.Errorf("kind of fault: %w", suggest.Among(string(k), names))
}
