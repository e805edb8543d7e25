package timeline

import (
	"slices"

	"locktorture/history"
)

// An Answer is a validity that a holder was told.
type Answer struct {
	At       int64       // when the holder received it
	Min, Max int64       // the lease ends no earlier than Min, and no later than Max
	Op       *history.Op // the entry
}

// Answers are the answers that one holder was given, in order.
type Answers []Answer

// validity returns the end of the promise as the holder was told it. Each answer counts until
// the next one, and the last answer until the end that it named.
func (list Answers) validity() int64 {
	n := len(list)
	if n == 0 {
		return NoPromise
	}
	end := list[n-1].Min
	for i := n - 2; i >= 0; i-- {
		end = max(end, min(list[i].Min, list[i+1].At))
	}
	return end
}

// declared returns the last answer that named an end.
func (list Answers) declared() (last Answer) {
	for _, a := range slices.Backward(list) {
		if a.Max != 0 {
			return a
		}
	}
	return last
}
