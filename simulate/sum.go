package simulate

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// A sum is the FNV-1a hash of all events.
type sum struct {
	hash  uint64
	clock *clock
	trace io.Writer // see Config.Trace; may be nil
}

func newSum(k *clock, trace io.Writer) sum { return sum{14695981039346656037, k, trace} }

func (s *sum) add(b []byte) {
	for _, x := range b {
		s.hash = (s.hash ^ uint64(x)) * 1099511628211
	}
}

// note adds an event at the present time to the hash; who is the number of a connection, process or
// fault.
func (s *sum) note(what string, who int, data []byte) {
	var b [24]byte
	copy(b[:8], what)
	binary.LittleEndian.PutUint64(b[8:], uint64(s.clock.now))
	binary.LittleEndian.PutUint64(b[16:], uint64(who))
	s.add(b[:])
	s.add(data)
	if s.trace != nil {
		fmt.Fprintf(s.trace, "%v %s %d %q\n", time.Duration(s.clock.now), what, who, data)
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
