package session

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"locktorture/internal/terminal"
	"locktorture/report/words"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// A seen shows the progress of a search: on a terminal one line that is overwritten, elsewhere
// a new line at longer intervals.
type seen struct {
	out   io.Writer
	spec  Explore
	live  bool
	began time.Time

	mu    sync.Mutex
	shown time.Time
	width int
	end   time.Duration
}

func newSeen(out io.Writer, s Explore) *seen {
	now := time.Now()
	return &seen{out: out, spec: s, live: terminal.Is(out), began: now, shown: now}
}

// The shortest intervals between two lines: on a terminal, and elsewhere.
const (
	liveEvery  = 250 * time.Millisecond
	plainEvery = 10 * time.Second
)

func (p *seen) update(t search.Tally) {
	p.mu.Lock()
	defer p.mu.Unlock()
	every := plainEvery
	if p.live {
		every = liveEvery
	}
	if p.spec.Quiet || time.Since(p.shown) < every {
		return
	}
	p.shown = time.Now()
	line := p.line(t)
	if !p.live {
		fmt.Fprintln(p.out, line)
		return
	}
	width, _ := terminal.Size(p.out)
	line = words.Cut(line, width-1)
	fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = utf8.RuneCountInString(line)
}

func (p *seen) line(t search.Tally) string {
	took := time.Since(p.began)
	trials, of := words.Count(t.Trials), ""
	switch {
	case p.spec.Trials > 0:
		trials += " of " + words.Count(p.spec.Trials)
	case p.spec.Budget > 0:
		of = fmt.Sprintf(" of %.0f", p.spec.Budget.Seconds())
	}
	return fmt.Sprintf("%.0f%s s  %s trials  %.0f runs/s  %s of virtual time  %s states", took.Seconds(), of, trials,
		float64(t.Runs)/took.Seconds(), seconds(t.Virtual), words.Count(len(t.States)))
}

// done erases the line on a terminal, and stops the clock of the search.
func (p *seen) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = time.Since(p.began)
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%-*s\r", p.width, "")
	}
}

// took returns the duration of the search, once done was called.
func (p *seen) took() time.Duration { return p.end }

// nothing reports that the search found nothing. It lists the trials, faults, points and
// states that the search has covered, from which a reader can judge that result.
func nothing(out io.Writer, o inside.Order, s Explore, t search.Tally, took time.Duration) {
	what := "no anomaly that is the lock's fault"
	if len(s.Find) > 0 {
		what = "no " + strings.Join(s.Find, ", no ")
	}
	say := wrapped(out)
	say(fmt.Sprintf("%s: %s in %s trials (%s runs, %.1f a second, %s of virtual time, strategy %s, seed %d)", o.Backend, what,
		words.Count(t.Trials), words.Count(t.Runs), float64(t.Runs)/took.Seconds(), seconds(t.Virtual), s.Strategy, o.Seed))
	switch left := search.RunsOf(s.Trials) - t.Runs; {
	case left > 0:
		say(fmt.Sprintf("the search ended early: %s of %s runs were not made", words.Count(left), words.Count(search.RunsOf(s.Trials))))
	case t.Trials < s.Trials:
		say(fmt.Sprintf("%s trials had no fault, because no lease of their world could be struck", words.Count(s.Trials-t.Trials)))
	}
	if l, err := o.Lock(); err == nil && !o.Looked() && l.Unseen() != "" {
		say(l.Unseen())
	}
	say("faults that took effect: " + counts(t.Faults))
	say("points hit: " + counts(t.Hit))
	var missed []string
	for class := range t.Points {
		if t.Hit[class] == 0 {
			missed = append(missed, class)
		}
	}
	slices.Sort(missed)
	if len(missed) > 0 {
		say("points never hit: " + strings.Join(missed, ", "))
	}
	of := t.Saturation()
	say(fmt.Sprintf("different sequences of lock states: %s, three states each; %s of them were new in the last tenth of the runs; one more run would show about %s new ones (Good-Turing)",
		words.Count(of.Shown), words.Count(of.Late), few(of.Next)))
}

// few writes a number of things, to one digit if it is below one.
func few(n float64) string {
	if n < 1 {
		return strconv.FormatFloat(n, 'g', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// counts lists names with their numbers, the largest number first; "none" if there are no
// names.
func counts(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if of[a] != of[b] {
			return of[b] - of[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, of[n]))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
