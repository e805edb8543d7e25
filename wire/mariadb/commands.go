package mariadb

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/wire"
)

// The commands whose contents are decoded.
const (
	comQuit        = 0x01
	comQuery       = 0x03
	comPrepare     = 0x16
	comExecute     = 0x17
	comLongData    = 0x18
	comCloseStmt   = 0x19
	comChangeUser  = 0x11
	comResetStmt   = 0x1a
	longestCommand = 0x1f
)

// newest stands for the number of the newest statement: a client need not wait for that number.
const newest = 0xffffffff

// A command is a client's command.
type command struct {
	code       byte
	name, text string
	replied    bool
	statement  statement // the statement that it executes
	newest     bool      // it executes the newest statement, whatever its number
}

func (c command) String() string { return strings.TrimSpace(c.name + " " + c.text) }

func names(code byte) string {
	return map[byte]string{
		comQuit: "quit", 0x02: "use", comQuery: "query", 0x04: "fields", 0x09: "statistics", 0x0e: "ping", comChangeUser: "changeUser",
		comPrepare: "prepare", comExecute: "execute", comLongData: "longData", comCloseStmt: "close", comResetStmt: "reset", 0x1b: "setOption",
		0x1c: "fetch", 0x1f: "resetConnection",
	}[code]
}

// command parses a command.
func (d *Decoder) command(p []byte) (command, error) {
	c := command{code: p[0], name: names(p[0]), replied: true}
	r := &reader{b: p[1:]}
	switch {
	case c.name == "":
		return c, errNotPackets
	case c.code == comQuery || c.code == comPrepare || c.code == 0x02:
		c.text = wire.Line(string(r.b))
		if c.code == comPrepare {
			d.preparing = c.text
		}
	case c.code == comExecute:
		id := uint32(r.uint(4))
		s, known := d.statements[id]
		c.statement, c.text = s, s.query
		if c.newest = id == newest; c.newest && d.preparing != "" { // how many parameters it has is not known yet
			c.text = d.preparing + ", parameters unknown"
		} else if known {
			c.text += parameters(r, &s)
			d.statements[id] = s
		} else {
			c.text = fmt.Sprintf("statement %d", id)
		}
	case c.code == comLongData:
		c.text, c.replied = fmt.Sprintf("statement %d", r.uint(4)), false
	case c.code == comCloseStmt:
		id := uint32(r.uint(4))
		c.text, c.replied = d.statements[id].query, false
		delete(d.statements, id)
	case c.code == comQuit:
		c.replied = false
	case c.code == comChangeUser: // a new login follows, which is answered as such
		c.replied, d.entered = false, false
	}
	return c, nil
}

// parameters returns the parameters of an executed statement, whose types may have been sent with an
// earlier execution.
func parameters(r *reader, s *statement) string {
	n := s.params
	if n == 0 {
		return ""
	}
	r.take(1 + 4) // flags, number of executions
	null := r.take((n + 7) / 8)
	if r.uint(1) == 1 {
		s.types = slices.Clone(r.take(2 * n))
	}
	if r.bad || len(s.types) != 2*n {
		return fmt.Sprintf(" [%d parameters]", n)
	}
	var out []string
	for i := range n {
		if r.bad {
			return fmt.Sprintf(" [%d parameters]", n)
		}
		if null[i/8]>>(i%8)&1 == 1 {
			out = append(out, "NULL")
			continue
		}
		out = append(out, r.value(s.types[2*i]))
	}
	return " [" + strings.Join(out, " ") + "]"
}

// failure returns the text of an error: its number, state and message.
func failure(p []byte) string {
	r := &reader{b: p[1:]}
	code := r.uint(2)
	text := string(r.b)
	if len(text) > 6 && text[0] == '#' {
		text = text[1:6] + " " + text[6:]
	}
	return fmt.Sprintf("%d %s", code, wire.Word(text))
}
