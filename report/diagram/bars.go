package diagram

import "strings"

// rowY returns where a row stands; behind the last is the end of the lifelines.
func (d *Diagram) rowY(i int) int {
	if i < len(d.Rows) {
		return d.Rows[i].Y
	}
	return d.H - 8
}

// takenBars mark the lifelines of a fault from when it began to be put in place until its
// effect was seen: what happens between the two may be its doing.
func (d *Diagram) takenBars(steps []step, x map[string]int) (out []rect) {
	for i, s := range steps {
		for j := i + 1; s.begins && j < len(steps); j++ {
			if steps[j].fault != s.fault || steps[j].class != "fault" {
				continue
			}
			for _, n := range append(s.on, s.from) {
				if len(s.on) == 0 || n != s.on[0] {
					out = append(out, rect{x[n] - BarWidth/2, d.rowY(i), BarWidth, d.rowY(j) - d.rowY(i), "taken"})
				}
			}
			break
		}
	}
	return out
}

// holdBars thicken the lifeline of a client while it holds a lease: in one colour while that is
// valid, in another once it is over. A lease that never declared an end has a
// third, which is hatched from when another was granted what it excludes.
func (d *Diagram) holdBars(steps []step, x map[string]int) (out []rect) {
	for i, s := range steps {
		if !granted(s) {
			continue
		}
		end, turn := len(steps), len(steps)
		for j := i + 1; j < len(steps); j++ {
			o := steps[j]
			if o.lease == s.lease && o.class == endClass || s.open && s.overtaken > 0 && o.time >= s.overtaken {
				turn = min(turn, j)
			}
			if o.lease == s.lease && (o.label == "release" || o.label == "killed") {
				end = j
				break
			}
		}
		before, after := "hold", "beyond"
		if s.open {
			before, after = "open", "overtaken"
		}
		left := x[s.to] - BarWidth/2
		turn = min(turn, end)
		out = append(out, rect{left, d.rowY(i), BarWidth, d.rowY(turn) - d.rowY(i), before})
		if turn < end {
			out = append(out, rect{left, d.rowY(turn), BarWidth, d.rowY(end) - d.rowY(turn), after})
		}
	}
	return out
}

func granted(s step) bool { return strings.HasPrefix(s.label, "granted,") }
