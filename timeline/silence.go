package timeline

import (
	"time"

	"locktorture/history"
)

// silence is the time, in ns, after which servers that answered no look count as out of order. The
// harness looks at them every 50 ms and records all that it sees at least every 250 ms.
const silence = int64(time.Second)

// addLook takes a look at the servers that was answered.
func (s *Pauses) addLook(op *history.Op) {
	if s.looked && op.Time-s.lastLook > silence {
		s.Silences = append(s.Silences, Window{s.lastLook, op.Time})
	}
	s.looked, s.lastLook = true, op.Time
}

// Silent returns the times between from and to in which no server answered a look, although looks
// were answered before and after. A disk that does not write, or a machine that is too busy, may
// have kept the servers from working.
func (s *Pauses) Silent(from, to int64) []Cut {
	var cuts []Cut
	for _, w := range s.Silences {
		if w.From < to && w.To > from {
			cuts = append(cuts, Cut{Window: w})
		}
	}
	return cuts
}
