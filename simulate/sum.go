package simulate

import (
	"encoding/binary"
	"fmt"
	"time"
)

// A sum is the FNV-1a hash of all events.
type sum struct{ hash uint64 }

func newSum() sum { return sum{14695981039346656037} }

func (s *sum) add(b []byte) {
	for _, x := range b {
		s.hash = (s.hash ^ uint64(x)) * 1099511628211
	}
}

// note adds an event at the present time to the hash; who is the number of a connection, process or
// fault.
func (w *world) note(what string, who int, data []byte) {
	var b [24]byte
	copy(b[:8], what)
	binary.LittleEndian.PutUint64(b[8:], uint64(w.now))
	binary.LittleEndian.PutUint64(b[16:], uint64(who))
	w.sum.add(b[:])
	w.sum.add(data)
	if w.cfg.Trace != nil {
		fmt.Fprintf(w.cfg.Trace, "%v %s %d %q\n", time.Duration(w.now), what, who, data)
	}
}

// mix draws a number that depends only on the seed and the parts (splitmix64), so that further
// draws elsewhere do not change it.
func mix(seed uint64, parts ...uint64) uint64 {
	h := seed
	for _, p := range parts {
		h += p + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
