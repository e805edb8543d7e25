// Package mariadb decodes the traffic of MariaDB and MySQL: the text and the binary protocol.
//
// # Reading order
//
// decoder.go, commands.go, results.go; packet.go and values.go read fields.
//
// Source: https://mariadb.com/kb/en/clientserver-protocol/
package mariadb

import (
	"encoding/binary"
	"fmt"

	"locktorture/wire"
)

// The capabilities of a client that change the protocol.
const (
	isMySQL      = 1 << 0 // otherwise it has the capabilities of MariaDB too
	wantsTLS     = 1 << 11
	deprecateEOF = 1 << 24
	cacheColumns = 1 << 4 // among MariaDB's own capabilities
)

// A Decoder decodes one connection.
type Decoder struct {
	wire.Base
	answered      bool // the client has answered the greeting, or the answer is missing
	greeted       bool
	entered       bool // the server has accepted the login, or the answer is missing
	noEOF, cached bool

	asked      []command // commands without a reply yet
	statements map[uint32]statement
	preparing  string    // query of the newest request for a statement; "": unknown
	latest     statement // the newest statement that the server has prepared
	lost       bool      // data is missing or could not be decoded: replies cannot be matched with commands
}

// A statement is a prepared statement.
type statement struct {
	query   string
	params  int
	types   []byte // of the parameters, two bytes each; nil: not sent yet
	columns []column
}

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start.
func New() *Decoder { return &Decoder{statements: map[uint32]statement{}} }

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	out := d.Cut(reply, data, d.request, d.reply)
	if d.Broken() {
		d.lost, d.asked, d.preparing = true, nil, ""
	}
	return out
}

// Gap implements wire.Decoder. A reply can only be decoded with its command, so no later reply is
// decoded.
func (d *Decoder) Gap() {
	d.Base.Gap()
	d.answered, d.greeted, d.entered, d.lost = true, true, true, true
	d.asked, d.preparing = nil, ""
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	p, seq, n, err := packet(b)
	if err != nil {
		return wire.Message{}, 0, err
	}
	switch {
	case !d.answered:
		return d.answer(p, n)
	case !d.entered:
		return wire.Message{Name: "authentication", Text: fmt.Sprintf("(%d bytes)", len(p))}, n, nil
	case seq != 0:
		return wire.Message{}, 0, errNotPackets
	}
	c, err := d.command(p)
	if err != nil {
		return wire.Message{}, 0, err
	}
	if c.replied && !d.lost {
		d.asked = append(d.asked, c)
	}
	return wire.Message{Name: c.name, Text: c.text}, n, nil
}

// answer decodes a client's answer to the greeting.
func (d *Decoder) answer(p []byte, n int) (wire.Message, int, error) {
	if len(p) < 32 {
		return wire.Message{}, 0, errNotPackets
	}
	able, own := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[28:])
	if able&wantsTLS != 0 && len(p) == 32 {
		return wire.Message{Name: "SSLRequest"}, n, nil
	}
	d.answered, d.noEOF, d.cached = true, able&deprecateEOF != 0, able&isMySQL == 0 && own&cacheColumns != 0
	return wire.Message{Name: "login", Text: fmt.Sprintf("(%d bytes)", len(p)-32)}, n, nil
}

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	p, _, n, err := packet(b)
	switch {
	case err != nil:
		return wire.Message{}, 0, err
	case !d.greeted:
		return d.greeting(p, n)
	case !d.entered && len(d.asked) == 0: // else the answers to commands before a change of user come first
		return d.letIn(p, n)
	case len(d.asked) == 0:
		return d.unasked(p, n)
	}
	c := d.asked[0]
	m, n, err := d.result(c, b)
	if err != nil {
		return m, 0, err
	}
	if !m.More {
		d.asked = d.asked[1:]
	}
	m.Of = c.String()
	return m, n, nil
}

func (d *Decoder) greeting(p []byte, n int) (wire.Message, int, error) {
	if p[0] == 0xff {
		return wire.Message{Name: "error", Text: failure(p)}, n, nil
	}
	if p[0] != 10 {
		return wire.Message{}, 0, errNotPackets
	}
	d.greeted = true
	version := p[1:]
	for i, b := range version {
		if b == 0 {
			version = version[:i]
			break
		}
	}
	return wire.Message{Name: "greeting", Text: wire.Word(string(version))}, n, nil
}

// letIn decodes a server's message during a login.
func (d *Decoder) letIn(p []byte, n int) (wire.Message, int, error) {
	switch p[0] {
	case 0x00:
		d.entered = true
		return wire.Message{Name: "OK", Of: "login"}, n, nil
	case 0xff:
		return wire.Message{Name: "error", Text: failure(p), Of: "login"}, n, nil
	}
	return wire.Message{Name: "authentication", Text: fmt.Sprintf("(%d bytes)", len(p))}, n, nil
}

// unasked decodes a message that answers no known request.
func (d *Decoder) unasked(p []byte, n int) (wire.Message, int, error) {
	if p[0] == 0xff {
		return wire.Message{Name: "error", Text: failure(p)}, n, nil
	}
	m := wire.RawOf(true, p)
	return m, n, nil
}
