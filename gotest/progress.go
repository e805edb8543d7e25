//go:build !wasip1 && !simulated

package gotest

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// sayEvery is how often a search says how far it is, so that nobody takes it for dead while Go
// compiles.
const sayEvery = 10 * time.Second

// A progress says every now and then what a search is at.
type progress struct {
	out   io.Writer
	began time.Time

	mu   sync.Mutex
	what string
	stop chan struct{}
	over sync.WaitGroup
}

// newProgress begins to say it, from the first tick on.
func newProgress(out io.Writer, every time.Duration) *progress {
	p := &progress{out: out, began: time.Now(), stop: make(chan struct{})}
	p.over.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.say()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// at is told what the search is at.
func (p *progress) at(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = fmt.Sprintf(format, args...)
}

func (p *progress) say() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.what != "" {
		fmt.Fprintf(p.out, "gotest: %s (%.0f s so far)\n", p.what, time.Since(p.began).Seconds())
	}
}

// end ends it.
func (p *progress) end() {
	close(p.stop)
	p.over.Wait()
}
