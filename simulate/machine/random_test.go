package machine

import (
	"encoding/binary"
	"testing"
)

// A memory with a g at 64, whose m is at 1024.
func threaded() []byte {
	mem := make([]byte, 16<<10)
	binary.LittleEndian.PutUint64(mem[64+threadOfG:], 1024)
	return mem
}

// The generator of a thread is found where it is, if it is the only one, and after it is
// seeded anew.
func TestGenerator(t *testing.T) {
	mem := threaded()
	if at := generator(mem, 64); at != 0 {
		t.Errorf("none is there, %d was found", at)
	}
	seedGenerator(mem[1600:], [32]byte{1, 2, 3}, [8]byte{4})
	binary.LittleEndian.PutUint32(mem[1600+stateI:], 7) // numbers that were handed out
	if at := generator(mem, 64); at != 1600 {
		t.Errorf("it is at 1600, %d was found", at)
	}
	seedGenerator(mem[1600:], [32]byte{9}, [8]byte{})
	if at := generator(mem, 64); at != 1600 {
		t.Errorf("seeded anew, %d was found", at)
	}
	mem[1600+8]++
	if at := generator(mem, 64); at != 0 {
		t.Errorf("a number is not of its seed, %d was found", at)
	}
	mem[1600+8]--
	seedGenerator(mem[2400:], [32]byte{5}, [8]byte{})
	if at := generator(mem, 64); at != 0 {
		t.Errorf("two are there, %d was found", at)
	}
}

// What is not a Go runtime is read nowhere but in its memory.
func TestGeneratorOfNothing(t *testing.T) {
	for _, g := range []uint64{0, 1 << 20, 1<<64 - 1, 16<<10 - 8} {
		if at := generator(make([]byte, 16<<10), g); at != 0 {
			t.Errorf("g at %d: found at %d", g, at)
		}
	}
	mem := threaded()
	for _, m := range []uint64{1025, 14 << 10, 1 << 40} {
		binary.LittleEndian.PutUint64(mem[64+threadOfG:], m)
		if at := generator(mem, 64); at != 0 {
			t.Errorf("m at %d: found at %d", m, at)
		}
	}
}
