package zookeeper

import (
	"encoding/binary"
	"errors"
	"strings"

	"locktorture/wire"
)

var errNotJute = errors.New("not a record of ZooKeeper")

// A record reads the fields of a jute record. After an error all fields are zero.
type record struct {
	b   []byte
	bad bool
}

func (r *record) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return make([]byte, 8)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *record) int() int32  { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *record) long() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }
func (r *record) bool() bool  { return r.take(1)[0] != 0 }

// buffer reads a string or bytes. A length of −1 means none.
func (r *record) buffer() string {
	n := r.int()
	if n == -1 {
		return ""
	}
	if n < 0 || int(n) > len(r.b) {
		r.bad = true
		return ""
	}
	return string(r.take(int(n)))
}

func (r *record) word() string { return wire.Word(r.buffer()) }

// count reads the length of a vector whose elements take at least this many bytes each.
func (r *record) count(each int) int {
	n := int(r.int())
	if n < 0 {
		return 0
	}
	if n > len(r.b)/each {
		r.bad = true
		return 0
	}
	return n
}

// mostWords bounds the number of elements that are shown.
const mostWords = 30

func (r *record) words() string {
	var out []string
	for i := range r.count(4) {
		w := r.word()
		if i < mostWords {
			out = append(out, w)
		}
	}
	return "[" + strings.Join(out, " ") + "]"
}
