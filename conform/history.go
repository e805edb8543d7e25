package conform

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// How a request ended, in the words of Jepsen.
const (
	ok   = "ok"
	fail = "fail" // nothing was changed
	info = "info" // it may have been carried out, or will be
)

// A recorder writes requests and answers in the order of their times.
type recorder struct {
	mu    sync.Mutex
	out   *bufio.Writer
	start time.Time
	count int
	err   error
}

func newRecorder(w io.Writer) *recorder { return &recorder{out: bufio.NewWriter(w), start: time.Now()} }

// note writes an entry and returns its time. f and value are in EDN; why is "" but for a
// request that failed and does not say that the value was another.
func (r *recorder) note(process int, kind, f, key, value, why string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Since(r.start)
	if why != "" {
		why = ", :error " + strconv.QuoteToASCII(why)
	}
	_, err := fmt.Fprintf(r.out, "{:process %d, :type :%s, :f :%s, :value [%q %s], :time %d, :index %d%s}\n",
		process, kind, f, key, value, at.Nanoseconds(), r.count, why)
	r.count++
	if r.err == nil {
		r.err = err
	}
	return at
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.out.Flush(); r.err == nil {
		r.err = err
	}
	return r.err
}
