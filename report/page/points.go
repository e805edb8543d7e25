package page

import (
	"strings"

	"locktorture/report/words"
)

// Points are the texts of a run whose faults struck at points (docs/explore.md); the zero
// Points is any other run.
type Points struct {
	Schedule  string // a fault on each line
	Cause     string // each fault again, and what is known of it on indented lines; "": nothing
	Confirmed string // what became of it on real servers; "": it was not tried
}

// A pointView is a fault of a schedule as the page shows it.
type pointView struct {
	N      int
	Text   string
	Struck string   // when, and what was seen
	Known  []string // of what it has to do with the anomaly
}

// pointsView is a schedule as the page shows it.
type pointsView struct {
	Faults    []pointView
	Known     bool // something is known of the cause
	Confirmed string
	Simulated bool
	Replay    string
}

// view joins a schedule with what is known of its faults and with those of the history. nil:
// there is no schedule.
func (p Points) view(bands []Band, replay string) *pointsView {
	v := &pointsView{Confirmed: words.Sentence(p.Confirmed), Replay: replay}
	known := p.known()
	for _, line := range lines(p.Schedule) {
		one := pointView{N: len(v.Faults) + 1, Text: words.Clean(line, 400), Known: known[line], Struck: "its point never came"}
		for _, b := range bands {
			if b.N == one.N {
				one.Struck = words.At(b.From*1000) + ": " + words.Sentence(b.What)
			}
		}
		v.Known = v.Known || len(one.Known) > 0
		v.Faults = append(v.Faults, one)
	}
	if len(v.Faults) == 0 {
		return nil
	}
	return v
}

// known returns what the cause says of each fault.
func (p Points) known() map[string][]string {
	out, at := map[string][]string{}, ""
	for _, line := range strings.Split(p.Cause, "\n") {
		switch text := strings.TrimSpace(line); {
		case text == "":
		case strings.HasPrefix(line, " "):
			out[at] = append(out[at], words.Clean(text, 400))
		default:
			at = text
		}
	}
	return out
}

// lines returns the lines of a schedule that contain a fault.
func lines(text string) (list []string) {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
