//go:build !wasip1 && !simulated

package gotest

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// sayEvery is the interval between progress messages of a search, so that it does not seem dead
// while Go compiles.
const sayEvery = 10 * time.Second

// A progress prints the current step of a search at intervals.
type progress struct {
	out   io.Writer
	began time.Time

	mu   sync.Mutex
	what string
	stop chan struct{}
	over sync.WaitGroup
}

// newProgress starts to print, from the first tick on.
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

// at records the current step of the search.
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

// end stops the messages.
func (p *progress) end() {
	close(p.stop)
	p.over.Wait()
}
