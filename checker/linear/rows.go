package linear

import "encoding/binary"

// rows holds the records of a state in a string, so that states can be compared. Each record
// is some numbers of 8 bytes.
type rows string

// A record is what one holder or party has in a state.
type record [5]int64

const rowBytes = 8 * len(record{})

func (s rows) len() int { return len(s) / rowBytes }

func (s rows) at(i int) (r record) {
	var b [rowBytes]byte
	copy(b[:], s[i*rowBytes:])
	for k := range r {
		r[k] = int64(binary.BigEndian.Uint64(b[8*k:]))
	}
	return r
}

// with adds a record in front of those with a greater first number, so that states are equal
// if they differ only in the order in which records were added.
func (s rows) with(r record) rows {
	i := s.find(func(other record) bool { return other[0] > r[0] })
	if i < 0 {
		i = s.len()
	}
	return s[:i*rowBytes] + r.rows() + s[i*rowBytes:]
}

func (r record) rows() rows {
	b := make([]byte, 0, rowBytes)
	for _, n := range r {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return rows(b)
}

func (s rows) without(i int) rows { return s[:i*rowBytes] + s[(i+1)*rowBytes:] }

// set replaces a record where it stands.
func (s rows) set(i int, r record) rows {
	return s[:i*rowBytes] + r.rows() + s[(i+1)*rowBytes:]
}

// find returns the first record that is wanted, or -1.
func (s rows) find(wanted func(record) bool) int {
	for i := range s.len() {
		if wanted(s.at(i)) {
			return i
		}
	}
	return -1
}

// keep returns the records that are wanted, in their order.
func (s rows) keep(wanted func(record) bool) rows {
	for i := s.len() - 1; i >= 0; i-- {
		if !wanted(s.at(i)) {
			s = s.without(i)
		}
	}
	return s
}
