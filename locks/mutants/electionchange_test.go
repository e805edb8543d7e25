package mutants_test

import (
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
)

// campaign lets a new candidate lead, and fails the test if it does not.
func (w *world) campaign(value string) locks.Lease {
	w.Helper()
	lease, err := locks.Take(w.Context(), w.client(value), "x", locks.Claim{Value: value})
	if err != nil {
		w.Fatal(err)
	}
	return lease
}

// candidates lets some campaign one after the other, when another leads already, and tells who
// was elected in which term.
func (w *world) candidates(values ...string) <-chan string {
	won := make(chan string, len(values))
	for i, value := range values {
		c := w.client(value)
		go func() {
			if l, err := locks.Take(w.Context(), c, "x", locks.Claim{Value: value}); err == nil {
				won <- fmt.Sprint(value, l.(locks.Fenced).Token())
			}
		}()
		w.until("a candidate waits", func() bool { return w.queue.Waiting("x") == i+1 })
	}
	return won
}

// soonWon are those who are elected within a moment of each other.
func soonWon(won <-chan string) (all []string) {
	all = append(all, <-won)
	for {
		select {
		case another := <-won:
			all = append(all, another)
		case <-time.After(200 * time.Millisecond):
			return all
		}
	}
}

func electionChanges() map[mutants.Switch]change {
	return map[mutants.Switch]change{
		mutants.ResignsTwice: {func(w *world) string {
			first := w.campaign("first")
			won := w.candidates("a", "b")
			w.release(first)
			return text(len(soonWon(won)) > 1, " at a time")
		}, "false at a time", "true at a time"},
		mutants.TermRepeats: {func(w *world) string {
			w.release(w.campaign("a"))
			return fmt.Sprint(w.campaign("b").(locks.Fenced).Token())
		}, "2", "1"},
		mutants.TellsLoser: {func(w *world) string {
			first := w.campaign("first")
			won := w.candidates("a", "b")
			w.release(first)
			return fmt.Sprint(soonWon(won))
		}, "[a2]", "[b3 a2]"},
		mutants.ObserverCaches: {func(w *world) string {
			observer := w.client("o")
			seen := func() string {
				value, term, err := locks.Leader(w.Context(), observer, "x")
				return fmt.Sprint(value, term, err)
			}
			w.release(w.campaign("a"))
			b := w.campaign("b")
			before := seen()
			w.release(b)
			w.campaign("c")
			return before + ", " + seen()
		}, "b2 <nil>, c3 <nil>", "b2 <nil>, b2 <nil>"},
	}
}
