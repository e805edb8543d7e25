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
	// flushEvery bounds what a kill -9 of the harness loses.
	flushEvery = 50 * time.Millisecond
	// flushAt bounds the memory of the buffer when many operations come in between two flushes;
	// the caller that fills the buffer waits for the write.
	flushAt = 256 << 10
)

// A Recorder streams entries to a writer, one JSON object a line, while the run goes on. It
// takes the time stamp itself, under its lock, so that the order of lines is the order of
// times. It refuses every entry that a Reader would refuse, so that the history of any run can
// be read back. Its methods are safe for concurrent use. It does not close the writer.
type Recorder struct {
	now func() int64

	mu     sync.Mutex // guards the following
	buf    []byte
	spare  []byte
	last   int64
	err    error // sticky
	op     Op    // the entry that is recorded: here, because the rules take its address
	rules  *Validator
	sum    *Checksum
	broken error // why an entry was refused
	ended  bool  // by an End
	closed bool

	writing sync.Mutex // held while w is written to; taken before mu
	w       io.Writer

	stop, done chan struct{}
}

// NewRecorder returns a recorder that writes to w. now gives the nanoseconds
// since the start of the run on a monotonic clock; it is called under the
// recorder's lock.
func NewRecorder(w io.Writer, now func() int64) *Recorder {
	r := &Recorder{
		w: w, now: now, rules: NewValidator(), sum: NewChecksum(),
		buf: make([]byte, 0, flushAt+4096), spare: make([]byte, 0, flushAt+4096),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go r.flusher()
	return r
}

// Record stamps the entry, puts it on its way to the file and returns it as it was stamped. The
// error may stem from an earlier write: after a failed write every later call returns its
// error, and the history is incomplete. Record refuses an entry that is invalid at this place
// or too long for a line. After a refusal it accepts only an End, and after an End nothing.
// Long texts are shortened. The End gets the checksum of the history.
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

// add puts the entry into the buffer; r.mu is held.
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

// Flush writes what was recorded so far.
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

// Close writes the rest and ends the recorder. It returns the error of any
// write that went wrong. A second call does nothing more.
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
