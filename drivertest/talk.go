package drivertest

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"locktorture/locks/driver"
)

// A talk remembers the last lines that were exchanged with each driver.
type talk struct {
	live io.Writer // shows every line as it comes; may be nil

	mu    sync.Mutex
	lines []string
}

// talkLines is how much of a conversation a failure shows.
const talkLines = 12

// of returns the tap of one client.
func (t *talk) of(client int) func(driver.Line) {
	return func(l driver.Line) {
		arrow := "←"
		if l.Sent {
			arrow = "→"
		}
		line := fmt.Sprintf("      client %d %s %.300s", client, arrow, strings.ToValidUTF8(l.Text, "?"))
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.live != nil {
			fmt.Fprintln(t.live, line)
			return
		}
		if t.lines = append(t.lines, line); len(t.lines) > talkLines {
			t.lines = t.lines[1:]
		}
	}
}

func (t *talk) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}

// text returns what was remembered.
func (t *talk) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return strings.Join(t.lines, "\n") + "\n"
}
