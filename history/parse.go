package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// parse reads one line into an entry that has its zero value. It reads lines in the form of
// AppendJSON by hand, because a checker reads millions of them, and passes any other line to
// encoding/json.
func parse(line []byte, names *interner, op *Op) error {
	p := parser{b: line, names: names, op: op}
	if p.object() {
		return nil
	}
	*op = Op{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(op); err != nil {
		return describe(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one object")
	}
	return nil
}

// describe rewrites an error of encoding/json so that it can follow "line 17: ".
func describe(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errors.New("object is cut off")
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("field %q cannot hold a %s", kind.Field, kind.Value)
	}
	return err
}

// An interner keeps one copy of every short string, because a history repeats the names of a few
// locks and keys in most lines.
type interner struct{ m map[string]string }

// maxNames bounds the number of strings that an interner keeps, and so the memory for strings that
// do not repeat.
const maxNames = 1 << 16

// get returns the string with these bytes, without an allocation if the interner has it.
func (n *interner) get(b []byte) string {
	if s, ok := n.m[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(n.m) < maxNames {
		n.m[s] = s
	}
	return s
}

// A parser reads one object without white space and without escapes. Its methods return false for
// any other input, valid or not, and encoding/json then decides. They advance past the bytes that
// they accept.
type parser struct {
	b     []byte
	i     int
	op    *Op
	names *interner
}

// object reads a whole object, which must fill the line. It accepts fields in any order.
func (p *parser) object() bool {
	if !p.skip('{') {
		return false
	}
	for {
		key, ok := p.quoted()
		if !ok || !p.skip(':') || !p.field(key) {
			return false
		}
		if p.skip(',') {
			continue
		}
		return p.skip('}') && p.i == len(p.b)
	}
}

// skip reads the byte c, if it is next.
func (p *parser) skip(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

// quoted returns the content of a string without escapes. The result is a part of the line.
func (p *parser) quoted() ([]byte, bool) {
	if !p.skip('"') {
		return nil, false
	}
	start := p.i
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return p.b[start : p.i-1], true
		case c == '\\' || c < 0x20:
			return nil, false
		}
	}
	return nil, false
}

// field reads the value of a field. It returns false for the fields of rare entries (traits, holds,
// sum), which encoding/json reads.
func (p *parser) field(key []byte) bool {
	op := p.op
	switch string(key) {
	case "time":
		return p.int(&op.Time)
	case "process":
		return p.small(&op.Process)
	case "client":
		return p.small(&op.Client)
	case "type":
		return p.string((*string)(&op.Type))
	case "f":
		return p.string((*string)(&op.F))
	case "lock":
		return p.string(&op.Lock)
	case "lease":
		return p.int(&op.Lease)
	case "token":
		return p.uint(&op.Token)
	case "mode":
		return p.string(&op.Mode)
	case "permits":
		return p.small(&op.Permits)
	case "capacity":
		return p.small(&op.Capacity)
	case "parties":
		return p.small(&op.Parties)
	case "until_min":
		return p.int(&op.UntilMin)
	case "until_max":
		return p.int(&op.UntilMax)
	case "store":
		return p.string(&op.Store)
	case "key":
		return p.string(&op.Key)
	case "value":
		return p.string(&op.Value)
	case "guard":
		return p.string(&op.Guard)
	case "expect":
		return p.string(&op.Expect)
	case "apply":
		return p.int(&op.Apply)
	case "refused":
		return p.string(&op.Refused)
	case "for_record":
		op.ForRecord = bytes.HasPrefix(p.b[p.i:], []byte("true"))
		p.i += len("true")
		return op.ForRecord
	case "node":
		return p.string(&op.Node)
	case "fault":
		return p.small(&op.Fault)
	case "error":
		return p.string(&op.Error)
	}
	return false
}

// string reads a text and interns it.
func (p *parser) string(to *string) bool {
	b, ok := p.quoted()
	if ok {
		*to = p.names.get(b)
	}
	return ok
}

// small reads a number that must fit an int.
func (p *parser) small(to *int) bool {
	var n int64
	ok := p.int(&n)
	*to = int(n)
	return ok && int64(*to) == n
}

// int reads a number that must fit an int64. It leaves the smallest int64 to encoding/json.
func (p *parser) int(to *int64) bool {
	minus := p.skip('-')
	var n uint64
	if !p.uint(&n) || n > math.MaxInt64 {
		return false
	}
	*to = int64(n)
	if minus {
		*to = -*to
	}
	return true
}

// uint reads digits without a leading zero, as JSON requires.
func (p *parser) uint(to *uint64) bool {
	start, n := p.i, uint64(0)
	for ; p.i < len(p.b); p.i++ {
		c := p.b[p.i] - '0'
		if c > 9 {
			break
		}
		if n > (math.MaxUint64-uint64(c))/10 {
			return false
		}
		n = n*10 + uint64(c)
	}
	digits := p.i - start
	*to = n
	return digits == 1 || digits > 1 && p.b[start] != '0'
}
