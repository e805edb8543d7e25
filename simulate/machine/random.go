package machine

import (
	"encoding/binary"
	"math/rand/v2"
)

// Offsets in the memory of Go's runtime: the pointer from a goroutine (g) to its thread (m), and
// the layout of the random generator's state in an m (chacha8rand.State: 32 numbers, the seed,
// three counters), which is followed by the number for quick draws. generator checks them before
// they are used.
const (
	threadOfG = 48
	sizeOfM   = 4096 // or less

	stateSeed = 32 * 8
	stateI    = stateSeed + 32
	stateN    = stateI + 4
	stateC    = stateN + 4
	quick     = (stateC + 4 + 7) &^ 7
	stateSize = quick + 8
)

// generator returns the offset of the random generator's state in the only thread, whose goroutine
// is g; 0 if there is not exactly one candidate.
func generator(mem []byte, g uint64) int {
	if g > uint64(len(mem))-threadOfG-8 {
		return 0
	}
	m := binary.LittleEndian.Uint64(mem[g+threadOfG:])
	if m == 0 || m%8 != 0 || m > uint64(len(mem))-sizeOfM {
		return 0
	}
	found := 0
	for at := int(m); at+stateSize <= int(m)+sizeOfM; at += 8 {
		if !isGenerator(mem[at : at+stateSize]) {
			continue
		}
		if found != 0 {
			return 0
		}
		found = at
	}
	return found
}

// isGenerator reports whether b holds the state of a generator: the seed in it must yield the
// numbers before it.
func isGenerator(b []byte) bool {
	n, c := binary.LittleEndian.Uint32(b[stateN:]), binary.LittleEndian.Uint32(b[stateC:])
	if n == 0 || n > 32 || binary.LittleEndian.Uint32(b[stateI:]) > n || c > 12 || c%4 != 0 {
		return false
	}
	g := rand.NewChaCha8([32]byte(b[stateSeed : stateSeed+32]))
	for range 8 * c {
		g.Uint64()
	}
	for k := range int(n) {
		if binary.LittleEndian.Uint64(b[8*k:]) != g.Uint64() {
			return false
		}
	}
	return true
}

// seedGenerator resets a generator to its state after seeding, and sets the number for quick draws.
func seedGenerator(b []byte, seed [32]byte, quickly [8]byte) {
	g := rand.NewChaCha8(seed)
	for k := range 32 {
		binary.LittleEndian.PutUint64(b[8*k:], g.Uint64())
	}
	copy(b[stateSeed:], seed[:])
	binary.LittleEndian.PutUint32(b[stateI:], 0)
	binary.LittleEndian.PutUint32(b[stateN:], 32)
	binary.LittleEndian.PutUint32(b[stateC:], 0)
	copy(b[quick:], quickly[:])
}
