package rule

import (
	"fmt"

	"locktorture/history"
	"locktorture/timeline"
)

// A claimant is a group of requests for which a lock can be dead although other requests are
// granted: all requests for the same mode and number of permits (client is 0), all requests of one
// client (any), or the requests of one client for one mode and number of permits.
//
// A lock may be dead for all readers, or for one client, while the rest is served. The widest group
// that got nothing is named.
type claimant struct {
	mode            string
	permits, client int
	any             bool
}

// claimants returns all claimants that a request of a client counts for, the widest first.
func claimants(asked *history.Op, client int) [3]claimant {
	return [3]claimant{
		{mode: asked.Mode, permits: asked.Permits}, {client: client, any: true}, {mode: asked.Mode, permits: asked.Permits, client: client},
	}
}

// name names the claimant in a sentence.
func (c claimant) name() string {
	kind := "writer"
	switch {
	case c.any:
		return timeline.Who(c.client)
	case c.permits > 0:
		kind = fmt.Sprintf("holder of %d permits", c.permits)
	case c.mode != "":
		kind = "reader"
	}
	if c.client > 0 {
		return timeline.Who(c.client) + " as a " + kind
	}
	return "a " + kind
}

// served says when each claimant was granted the lock last.
type served map[claimant]int64

func (s served) serve(g *timeline.Lease) {
	for _, c := range claimants(g.Inv, g.Client) {
		s[c] = g.Granted()
	}
}

// whileOthers says when the lock was last granted to a claimant of this call, if others were
// granted it more than long ns after that; else it is "".
func (r *deadlock) whileOthers(w *timeline.Call, long int64) string {
	if r.lastHolder == nil {
		return ""
	}
	for _, c := range claimants(w.Inv, w.Client) {
		last, ever := r.served[c]
		switch {
		case !ever:
			return fmt.Sprintf("; the lock was never granted to %s, but others were granted it as late as %s", c.name(), timeline.At(r.granted))
		case r.granted-last > long:
			return fmt.Sprintf("; the lock was last granted to %s at %s, but others were granted it as late as %s", c.name(), timeline.At(last), timeline.At(r.granted))
		}
	}
	return ""
}
