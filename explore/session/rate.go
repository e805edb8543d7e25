package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Rate is the result of all rounds of a schedule on real servers.
type Rate struct {
	Backend   string   `json:"backend"`
	Schedule  string   `json:"schedule"`       // schedule as it was played
	Find      []string `json:"find,omitempty"` // anomalies that were looked for
	Rounds    int      `json:"rounds"`         // number of planned rounds
	Need      int      `json:"need"`           // number of rounds that must show one of the anomalies
	Seen      int      `json:"seen,omitempty"`
	Confirmed bool     `json:"confirmed,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Verdict   string   `json:"verdict"`
	Played    []Round  `json:"played,omitempty"`
}

// A Round is one play of the schedule.
type Round struct {
	Dir       string   `json:"dir"`
	Faults    int      `json:"faults"`
	Struck    int      `json:"struck,omitempty"`
	Missed    []string `json:"missed,omitempty"`    // reasons why faults did not strike
	Anomalies []string `json:"anomalies,omitempty"` // kinds that were looked for and found
	Others    []string `json:"others,omitempty"`    // other kinds that were found and are the lock's fault
	Grade     string   `json:"grade"`
	Grants    int      `json:"grants,omitempty"`
}

// counts reports whether all faults struck and the round shows an anomaly that was looked for.
func (r Round) counts() bool { return r.Struck == r.Faults && len(r.Anomalies) > 0 }

func (r Round) String() string {
	seen := cmp.Or(strings.Join(r.Anomalies, ", "), "not seen")
	text := fmt.Sprintf("%s · %d of %d faults took effect · %s, %d grants · %s\n", seen, r.Struck, r.Faults, r.Grade, r.Grants, r.Dir)
	for _, why := range r.Missed {
		text += "  " + why + "\n"
	}
	return text
}

// Add adds a round.
func (c *Rate) Add(r Round) {
	c.Played = append(c.Played, r)
	if r.counts() {
		c.Seen++
	}
}

// Conclude sets Confirmed, Reason and Verdict after the last round.
func (c *Rate) Conclude() {
	c.Confirmed = c.Seen >= c.Need
	if 5*c.Seen < 4*len(c.Played) {
		c.Reason = c.reason()
	}
	c.Verdict = fmt.Sprintf("seen in %d of %d rounds on real servers", c.Seen, len(c.Played))
	switch {
	case c.Confirmed:
		c.Verdict += fmt.Sprintf(": confirmed (%d are needed)", c.Need)
	case len(c.Played) < c.Rounds:
		c.Verdict += fmt.Sprintf(", of %d that were planned: too few to judge", c.Rounds)
	case c.Seen > 0:
		c.Verdict += fmt.Sprintf(": not confirmed (%d are needed); the anomaly is real, but the schedule does not lead to it reliably", c.Need)
	default:
		c.Verdict += ": not confirmed; simulated only"
	}
	if c.Reason != "" {
		c.Verdict += ": " + c.Reason
	}
}

// reason describes why some of the rounds do not count.
func (c *Rate) reason() string {
	var parts, whys, others []string
	missed, unseen, instead := 0, 0, 0
	for _, r := range c.Played {
		switch {
		case r.counts():
		case r.Struck < r.Faults:
			missed++
			for _, why := range r.Missed {
				if !slices.Contains(whys, why) {
					whys = append(whys, why)
				}
			}
		default:
			unseen++
			if len(r.Others) > 0 {
				instead++
			}
			for _, kind := range r.Others {
				if !slices.Contains(others, kind) {
					others = append(others, kind)
				}
			}
		}
	}
	if missed > 0 {
		parts = append(parts, fmt.Sprintf("in %s %s", rounds(missed), strings.Join(whys, "; ")))
	}
	if unseen > 0 {
		parts = append(parts, fmt.Sprintf("in %s all faults took effect, but the events around them came too early or too late", rounds(unseen)))
	}
	if instead > 0 {
		parts = append(parts, fmt.Sprintf("%d of these showed another anomaly: %s", instead, strings.Join(others, ", ")))
	}
	return strings.Join(parts, "; ")
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}
