//go:build wasip1 || simulated

package main

import (
	"io"
	"sync"
	"time"

	"locktorture/history"
)

// A record stamps entries and hands them to the host, which writes them down: one line each,
// in one write.
type record struct {
	began time.Time

	mu  sync.Mutex
	buf []byte
	out io.Writer
}

func newRecord(out io.Writer) *record { return &record{began: time.Now(), out: out} }

// now is the clock of the history, in ns of virtual time.
func (r *record) now() int64 { return int64(time.Since(r.began)) }

func (r *record) add(op history.Op) (history.Op, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	op.Time = r.now()
	r.buf = append(op.AppendJSON(r.buf[:0]), '\n')
	_, err := r.out.Write(r.buf)
	return op, err
}
