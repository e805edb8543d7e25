//go:build !wasip1 && !simulated

package gotest

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// A lines is what was written, by anybody.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A search that takes long says what it is at, and no more once it is over.
func TestProgress(t *testing.T) {
	var out lines
	p := newProgress(&out, time.Millisecond)
	p.at("compiling %s", "this")
	for limit := time.Now().Add(time.Minute); !strings.Contains(out.String(), "gotest: compiling this (0 s so far)\n"); {
		if time.Now().After(limit) {
			t.Fatalf("nothing is said: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	p.end()
	said := out.String()
	time.Sleep(20 * time.Millisecond)
	if out.String() != said {
		t.Error("it goes on after its end")
	}
}
