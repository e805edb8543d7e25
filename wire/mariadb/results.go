package mariadb

import (
	"fmt"
	"strings"

	"locktorture/wire"
)

// A column is a column of a result.
type column struct {
	name string
	kind byte
}

// A results reads the packets of one reply.
type results struct {
	*Decoder
	b []byte
	n int // bytes read
}

func (r *results) next() ([]byte, error) {
	p, _, n, err := packet(r.b[r.n:])
	r.n += n
	return p, err
}

// result returns the reply to a command: a word, an error, or rows.
func (d *Decoder) result(c command, b []byte) (wire.Message, int, error) {
	r := &results{Decoder: d, b: b}
	p, err := r.next()
	if err != nil {
		return wire.Message{}, 0, err
	}
	m := wire.Message{Name: "OK"}
	switch {
	case p[0] == 0xff:
		m = wire.Message{Name: "error", Text: failure(p)}
	case p[0] == 0xfb:
		return m, 0, errNotPackets // the server requests a file
	case c.code == comPrepare && p[0] == 0x00:
		err = r.prepared(c, p)
	case p[0] == 0x00:
		m.Text = done(p, &m)
	case c.code == comQuery || c.code == comExecute:
		m, err = r.rows(c, p)
	case p[0] == 0xfe && len(p) < 9:
		m.Name = "EOF"
	default:
		m = wire.Message{Name: "told", Text: wire.Word(string(p))}
	}
	return m, r.n, err
}

// The flags in the status of a server.
const (
	inTransaction = 1
	moreResults   = 8 // of the same command
)

// setStatus records the status of a server.
func setStatus(m *wire.Message, status uint64) {
	m.Open, m.More = status&inTransaction != 0, status&moreResults != 0
}

// done returns the text of an OK, and records its status.
func done(p []byte, m *wire.Message) (text string) {
	f := &reader{b: p[1:]}
	rows, _ := f.length()
	id, _ := f.length()
	if f.bad {
		return ""
	}
	text = fmt.Sprintf("%d rows changed", rows)
	if id != 0 {
		text += fmt.Sprintf(", id %d", id)
	}
	setStatus(m, f.uint(2))
	return text
}

// prepared reads the description of a prepared statement.
func (r *results) prepared(c command, p []byte) error {
	f := &reader{b: p[1:]}
	id, columns, params := uint32(f.uint(4)), int(f.uint(2)), int(f.uint(2))
	if f.bad {
		return errNotPackets
	}
	if _, err := r.columns(params); err != nil {
		return err
	}
	of, err := r.columns(columns)
	if err != nil {
		return err
	}
	r.latest = statement{query: c.text, params: params, columns: of}
	r.statements[id] = r.latest
	return nil
}

// mostColumns is the server's own limit.
const mostColumns = 4096

// columns reads the descriptions of columns or parameters, and the packet after them.
func (r *results) columns(n int) ([]column, error) {
	if n > mostColumns {
		return nil, errNotPackets
	}
	var out []column
	for range n {
		p, err := r.next()
		if err != nil {
			return nil, err
		}
		f := &reader{b: p}
		for range 4 { // catalog, schema, table twice
			f.text()
		}
		name, _ := f.text()
		f.text()
		f.length()
		f.take(2 + 4)
		kind := byte(f.uint(1))
		out = append(out, column{name, kind})
	}
	if n == 0 || r.noEOF {
		return out, nil
	}
	_, err := r.next()
	return out, err
}

// mostRows bounds the number of rows that are shown.
const mostRows = 10

// rows reads a result.
func (r *results) rows(c command, p []byte) (m wire.Message, err error) {
	f := &reader{b: p}
	n, none := f.length()
	if f.bad || none || n == 0 || n > mostColumns {
		return m, errNotPackets
	}
	of := c.statement.columns
	if c.newest {
		of = r.latest.columns
	}
	if !r.cached || f.uint(1) == 1 {
		if of, err = r.columns(int(n)); err != nil {
			return m, err
		}
	} else if !r.noEOF {
		if _, err := r.next(); err != nil {
			return m, err
		}
	}
	if len(of) != int(n) {
		return m, errNotPackets
	}
	m.Name = "rows"
	for count := 0; ; count++ {
		p, err := r.next()
		switch {
		case err != nil:
			return m, err
		case p[0] == 0xff:
			m.Text += " error " + failure(p)
			return m, nil
		case p[0] == 0xfe && (r.noEOF || len(p) < 9):
			m.Text = fmt.Sprintf("%d:%s", count, m.Text)
			if r.noEOF {
				done(p, &m)
			} else if len(p) == 5 {
				setStatus(&m, uint64(p[3]))
			}
			return m, nil
		case count < mostRows:
			m.Text += " " + row(p, of, c.code == comExecute)
		}
	}
}

// row returns the text of a row.
func row(p []byte, of []column, binary bool) string {
	f, null := &reader{b: p}, []byte(nil)
	if binary {
		f.take(1)
		null = f.take((len(of) + 9) / 8)
	}
	var out []string
	for i, c := range of {
		if f.bad {
			return "(not decoded)"
		}
		switch {
		case binary && null[(i+2)/8]>>((i+2)%8)&1 == 1:
			out = append(out, "NULL")
		case binary:
			out = append(out, f.value(c.kind))
		default:
			out = append(out, f.word())
		}
	}
	return "[" + strings.Join(out, " ") + "]"
}
