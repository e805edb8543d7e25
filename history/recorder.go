package history

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned by Record after an End and after Close.
var ErrClosed = errors.New("recorder is closed")

const (
	// flushEvery bounds the part of the history that is lost if the harness is killed.
	flushEvery = 50 * time.Millisecond
	// flushAt bounds the size of the buffer, in bytes, when many entries arrive between two
	// flushes. The caller that fills the buffer waits for the write.
	flushAt = 256 << 10
)

// A Recorder writes entries to a writer during the run, one JSON object a line. It stamps the
// entries under its lock, so that the order of lines is the order of times. It refuses every entry
// that a Reader would refuse, so that every recorded history can be read. Its methods are safe for
// concurrent use. It does not close the writer.
type Recorder struct {
	// now returns the nanoseconds since the start of the run.
	now func() int64

	mu sync.Mutex // guards the following
	// buf holds the lines that are not written yet, and spare the buffer of the last flush, which
	// the next one uses.
	buf   []byte
	spare []byte
	// last is the time stamp of the last entry, below which none may fall.
	last int64
	// err is the error of the first failed write. It is never reset.
	err error
	// op is the entry being recorded. It is in the recorder because the rules take its address: a
	// local variable would be allocated for every entry.
	op    Op
	rules *Validator
	sum   *Checksum
	// broken is the reason of the first refusal, after which only an End is accepted.
	broken error
	// ended is set by an End, closed by Close.
	ended  bool
	closed bool

	// writing is held during a write to w. It is locked before mu, so that Record goes on while a
	// write takes its time.
	writing sync.Mutex
	w       io.Writer

	stop, done chan struct{}
}

// NewRecorder returns a recorder that writes to w. now returns the nanoseconds since the start of
// the run on a monotonic clock; it is called under the recorder's lock.
func NewRecorder(w io.Writer, now func() int64) *Recorder {
	r := &Recorder{
		w: w, now: now, rules: NewValidator(), sum: NewChecksum(),
		buf: make([]byte, 0, flushAt+4096), spare: make([]byte, 0, flushAt+4096),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go r.flusher()
	return r
}

// Record stamps the entry, adds it to the buffer and returns it with its stamp. The error may stem
// from an earlier write: after a failed write every call returns that error, and the history is
// incomplete. Record refuses an entry that is invalid at this place or too long for a line. After a
// refusal it accepts only an End, and after an End nothing. It shortens long texts, and adds the
// checksum of the history to the End.
func (r *Recorder) Record(op Op) (Op, error) {
	r.mu.Lock()
	if t := r.now(); t > r.last {
		r.last = t
	}
	op.Time = r.last
	shorten(&op)
	err := r.add(op)
	full := len(r.buf) >= flushAt
	r.mu.Unlock()
	if full && err == nil {
		return op, r.Flush()
	}
	return op, err
}

// add appends the entry to the buffer. The caller holds r.mu.
func (r *Recorder) add(op Op) error {
	switch {
	case r.err != nil:
		return r.err
	case r.closed, r.ended:
		return ErrClosed
	case r.broken != nil && op.F != End:
		return r.broken
	}
	r.op = op
	if err := r.rules.Add(&r.op); err != nil {
		r.broken = fmt.Errorf("history: %w", err)
		return r.broken
	}
	if op.F == End {
		op.Sum = r.sum.End(op)
	}
	line := op.AppendJSON(r.buf)
	if n := len(line) - len(r.buf); n > maxLine {
		r.broken = fmt.Errorf("history: %s of process %d takes %d bytes, a line may have %d", op.F, op.Process, n, maxLine)
		return r.broken
	}
	r.sum.Add(line[len(r.buf):])
	r.buf = append(line, '\n')
	r.ended = op.F == End
	return nil
}

// Flush writes the entries recorded so far. It writes outside of r.mu, so that other callers can
// record meanwhile.
func (r *Recorder) Flush() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	chunk, err := r.buf, r.err
	r.buf = r.spare[:0]
	r.mu.Unlock()
	if err == nil && len(chunk) > 0 {
		var n int
		n, err = r.w.Write(chunk)
		if err == nil && n < len(chunk) {
			err = io.ErrShortWrite
		}
		if err != nil {
			err = fmt.Errorf("write history: %w", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = chunk[:0]
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// Err returns the error of the first write that failed, or nil.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close writes the remaining entries and stops the recorder. It returns the error of any write that
// failed. Further calls have no effect.
func (r *Recorder) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.mu.Unlock()
	if again {
		<-r.done
		return r.Err()
	}
	close(r.stop)
	<-r.done
	return r.Flush()
}

// flusher writes the buffer at regular intervals until Close or the first failed write.
func (r *Recorder) flusher() {
	defer close(r.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if r.Flush() != nil {
				return
			}
		case <-r.stop:
			return
		}
	}
}
