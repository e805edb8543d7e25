package tape_test

import (
	"bytes"
	"os"
	"testing"

	"locktorture/cluster"
	"locktorture/wire/tape"
)

// sampleTape returns a small tape with every kind of record.
func sampleTape(t testing.TB) []byte {
	path := t.TempDir() + "/wire.bin"
	now := int64(0)
	tp, err := tape.New(tape.Config{Path: path, Links: []tape.Link{{Client: 1, To: "redis-1"}, {From: "redis-1", To: "redis-2"}}, Now: func() int64 { now++; return now }})
	if err != nil {
		t.Fatal(err)
	}
	up, down := tp.On(0).Connect(cluster.Way{})
	tp.Process(1, 6)
	up.Enter([]byte("ask"))
	up.Leave(1)
	down.Enter([]byte("answer"))
	down.Lose(1)
	down.End()
	peer, _ := tp.On(1).Connect(cluster.Way{})
	peer.Enter([]byte("copy"))
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzReader: whatever a file has, it is read to its end or refused, with times that do not go
// back.
func FuzzReader(f *testing.F) {
	sample := sampleTape(f)
	f.Add(uint32(0), []byte{})
	f.Add(uint32(64<<10), []byte("blok"))
	f.Add(uint32(64<<10+12), []byte{0xff, 0x7f})
	f.Add(uint32(64<<10+32), []byte{99, 1, 1})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		b := bytes.Clone(sample)
		copy(b[int(at)%len(b):], patch)
		r, err := tape.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		last, events := int64(0), 0
		for e, err := range r.Events(func(int) bool { return true }) {
			if err != nil {
				return
			}
			if e.Time < last || e.Link >= len(r.Meta.Links) {
				t.Fatalf("%+v comes after %d", e, last)
			}
			last = e.Time
			if events++; events > len(b) {
				t.Fatal("no end")
			}
		}
	})
}

// TestCutOff: every begin of a tape can be read, as after a kill -9 or on a full disk.
func TestCutOff(t *testing.T) {
	b := sampleTape(t)
	for n := 200; n < len(b); n += 1 + n%37 {
		r, err := tape.NewReader(bytes.NewReader(b[:n]), int64(n))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		for _, err := range r.Events(func(int) bool { return true }) {
			if err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
}
