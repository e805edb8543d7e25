package child

import (
	"io"
	"strings"
	"sync"
)

// What of a program's log is kept: the end of it for an error, and as much as
// this in a file. A program that floods its stderr fills no disk.
const (
	tailSize = 2 << 10
	logSize  = 4 << 20
)

// A Tail hands on what is written to it, up to a bound, and remembers its end.
type Tail struct {
	Next io.Writer // may be nil

	mu      sync.Mutex
	written int
	end     []byte
}

// Write implements io.Writer. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if over := len(t.end) - tailSize; over > 0 {
		t.end = append([]byte(nil), t.end[over:]...)
	}
	n := len(b)
	if t.Next != nil && t.written < logSize {
		if t.written += n; t.written >= logSize {
			b = append(b[:n:n], "\n[the log is cut off here]\n"...)
		}
		if _, err := t.Next.Write(b); err != nil {
			t.Next = nil // a log that cannot be written is no reason to stop anything
		}
	}
	return n, nil
}

// Said returns the end of the log for an error message, indented; "" if there is none.
func (t *Tail) Said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.end), "?"))
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
