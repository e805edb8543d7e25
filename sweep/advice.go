package sweep

import (
	"fmt"

	"locktorture/report/words"
)

// advise is one sentence: the shortest TTL at which no stop overran, or that there is none,
// and what that rests on.
func (r Report) advise() string {
	basis := fmt.Sprintf("with stops of %s and sections of %s", r.Stops, r.Hold)
	if len(r.TTLs) == 0 {
		return ""
	}
	least := r.TTLs[0]
	for _, t := range r.TTLs {
		if t.Stops == 0 || t.Deaths == 0 {
			return fmt.Sprintf("No TTL can be advised: with a TTL of %s, %d holders were stopped and %d died. Try a longer --duration.", t.TTL, t.Stops, t.Deaths)
		}
		if t.Overruns == 0 {
			return fmt.Sprintf("Take %s, the shortest of the tried TTLs at which no stop outlasted the lease (0 of %d; at 95 %% confidence, fewer than %s a million sections, %s). "+
				"A dead holder then keeps the lock for %s. A longer stop still overruns; only a fencing token keeps its writes out.",
				t.TTL, t.Stops, words.Figures(t.AtMost), basis, words.Span(int64(t.Out)))
		}
		if t.OverrunsPerMillion < least.OverrunsPerMillion {
			least = t
		}
	}
	return fmt.Sprintf("No TTL tried is long enough: even with %s, %d of %d stops outlasted the lease (%s a million sections, %s). "+
		"A dead holder keeps the lock for %s. Use a fencing token, or a longer TTL.",
		least.TTL, least.Overruns, least.Stops, words.Figures(least.OverrunsPerMillion), basis, words.Span(int64(least.Out)))
}
