package checker

import (
	"fmt"
	"strings"
	"time"

	"locktorture/timeline"
)

// hiccup is how long, in ns, a server may be unusable before a run is in doubt. A shorter
// outage is a fault like any other.
const hiccup = int64(time.Second)

// outagesNamed is how many outages a reason names.
const outagesNamed = 3

// An outage is a time in which a server could not be used, although no fault was injected for
// that.
type outage struct {
	timeline.Window
	node, why string
	longest   int64 // ns; how long the part with the reason why lasted
}

// outages lists the outages of the run, in order. A server that was unusable without a break
// had one outage. Of several reasons, the outage has the one that lasted longest.
func (v *verdict) outages() []*outage {
	var all []*outage
	last := map[string]*outage{}
	for _, s := range v.run.Faults {
		if !s.Traits.Unplanned {
			continue
		}
		part := &outage{timeline.Window{From: s.From, To: min(s.To, v.run.End)}, s.Op.Node, s.Op.Seen(), 0}
		if at, ok := s.Op.Began(); ok {
			part.From = at
		}
		part.longest = part.To - part.From
		o := last[part.node]
		if o == nil || part.From > o.To {
			last[part.node] = part
			all = append(all, part)
			continue
		}
		if o.To = part.To; part.longest > o.longest {
			o.why, o.longest = part.why, part.longest
		}
	}
	return all
}

// unserved says which servers could not be used for long, and when. What happened then shows
// nothing about the lock. It returns "" if there was no such outage.
func (v *verdict) unserved() string {
	var said []string
	more := 0
	for _, o := range v.outages() {
		switch {
		case o.To-o.From < hiccup:
		case len(said) == outagesNamed:
			more++
		default:
			said = append(said, o.says(v.run.End))
		}
	}
	text := strings.Join(said, ", ")
	if more > 0 {
		text += fmt.Sprintf(", and %d more times", more)
	}
	return text
}

func (o *outage) says(end int64) string {
	if o.To >= end {
		return fmt.Sprintf("%s could not be used from %s to the end (%s)", o.node, timeline.At(o.From), o.why)
	}
	return fmt.Sprintf("%s could not be used from %s to %s (%s)", o.node, timeline.At(o.From), timeline.At(o.To), o.why)
}
