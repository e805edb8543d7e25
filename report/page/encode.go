package page

import "encoding/binary"

// A table numbers strings. Number 0 is the empty string, and what strings
// beyond its byte budget become.
type table struct {
	list   []string
	number map[string]int
	left   int
}

func newTable(budget int) *table {
	return &table{list: []string{""}, number: map[string]int{"": 0}, left: budget}
}

func (t *table) index(s string) int {
	if n, ok := t.number[s]; ok {
		return n
	}
	if len(s)+3 > t.left {
		return 0
	}
	t.left -= len(s) + 3 // quotes and comma
	t.list = append(t.list, s)
	t.number[s] = len(t.list) - 1
	return len(t.list) - 1
}

// encode writes items, which are in order, as bytes: kind, flags, lane, and
// as varints the distance from the start of the item before (on the same
// lane), the length, lock, text and the zigzag distance from the lease before.
func encode(items []item) []byte {
	var out []byte
	var before item
	for _, it := range items {
		if it.lane != before.lane {
			before = item{}
		}
		out = append(out, byte(it.kind), byte(it.flags))
		out = binary.AppendUvarint(out, uint64(it.lane))
		out = binary.AppendUvarint(out, uint64(it.start-before.start))
		out = binary.AppendUvarint(out, uint64(it.dur))
		out = binary.AppendUvarint(out, uint64(it.lock))
		out = binary.AppendUvarint(out, uint64(it.text))
		out = binary.AppendVarint(out, it.lease-before.lease)
		before = it
	}
	return out
}
