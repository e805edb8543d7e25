package mariadb

import (
	"encoding/binary"
	"errors"

	"locktorture/wire"
	"locktorture/wire/frame"
)

var errNotPackets = errors.New("not MariaDB's packets")

// packet returns the payload of the first packet of b, its number, and the length of the packet.
func packet(b []byte) (payload []byte, seq byte, n int, err error) {
	n, err = frame.MariaDB(b)
	switch {
	case err != nil:
		return nil, 0, 0, err
	case n == frame.MariaDBHead:
		return nil, 0, 0, errNotPackets
	}
	return b[frame.MariaDBHead:n], b[3], n, nil
}

// A reader reads the fields of a payload. After an error all further fields are zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// uint reads a number of this many bytes.
func (r *reader) uint(n int) uint64 {
	var b [8]byte
	copy(b[:], r.take(n))
	return binary.LittleEndian.Uint64(b[:])
}

// length reads a number of variable length. none reports that it stands for NULL.
func (r *reader) length() (v uint64, none bool) {
	switch first := r.uint(1); {
	case first < 0xfb:
		return first, false
	case first == 0xfb:
		return 0, true
	case first == 0xfc:
		return r.uint(2), false
	case first == 0xfd:
		return r.uint(3), false
	case first == 0xfe:
		return r.uint(8), false
	}
	r.bad = true
	return 0, false
}

// text reads a string after its length.
func (r *reader) text() (string, bool) {
	n, none := r.length()
	if n > uint64(len(r.b)) {
		r.bad = true
		return "", none
	}
	return string(r.take(int(n))), none
}

// word reads a string and returns it as one word.
func (r *reader) word() string {
	s, none := r.text()
	if none {
		return "NULL"
	}
	return wire.Word(s)
}

// value reads a value in the binary protocol.
func (r *reader) value(kind byte) string {
	if n, ok := map[byte]int{1: 1, 2: 2, 13: 2, 3: 4, 9: 4, 8: 8}[kind]; ok {
		return number(r.uint(n), n)
	}
	switch kind {
	case 4:
		return float32Of(r.uint(4))
	case 5:
		return float64Of(r.uint(8))
	case 7, 10, 11, 12:
		return moment(r.take(int(r.uint(1))))
	case 6:
		return "NULL"
	}
	return r.word()
}
