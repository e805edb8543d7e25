package sweep

import (
	"math"
	"slices"
	"time"
)

// A Rates is how often stops and deaths come where the lock is used. The sweep measures
// chances; these scale them.
type Rates struct {
	StopEvery  int           `json:"stop_every_sections"` // one section in so many is stopped
	DeathEvery time.Duration `json:"death_every_ns"`      // a holder dies once in this time
}

// A Report is what a sweep came to; sweep.json holds it. Durations are nanoseconds.
type Report struct {
	Started     time.Time     `json:"started"`
	Commit      string        `json:"commit"`
	Backend     string        `json:"backend"`
	Command     string        `json:"command"` // that runs it again
	Clients     int           `json:"clients"`
	Duration    time.Duration `json:"duration_ns"` // of each TTL
	Hold        string        `json:"hold"`        // how long sections hold
	LongHold    string        `json:"long_hold"`
	Stops       string        `json:"stops"` // the distribution of their lengths
	Rates       Rates         `json:"rates"`
	Renews      bool          `json:"renews"` // the lock keeps a held lease alive by itself
	TTLs        []TTL         `json:"ttls"`
	Advice      string        `json:"advice"`
	Interrupted bool          `json:"interrupted,omitempty"` // TTLs has those that were measured until then
}

// A TTL is what was measured with one time to live.
type TTL struct {
	TTL      time.Duration `json:"ttl_ns"`
	Grade    string        `json:"grade"` // of its trial
	Dir      string        `json:"dir"`   // its run directory, seen from that of the sweep
	Sections int           `json:"sections"`
	Stops    int           `json:"stops"` // that struck a holder
	Overruns int           `json:"overruns"`
	// OverrunsPerMillion is the number of overruns in a million sections, if one in
	// Rates.StopEvery sections is paused. AtMost is its bound at 95 % where none was seen, else
	// 0.
	OverrunsPerMillion float64 `json:"overruns_per_million_sections"`
	AtMost             float64 `json:"at_most_per_million_sections,omitempty"`

	Deaths int           `json:"deaths"`      // of holders
	Out    time.Duration `json:"out_ns"`      // from a holder's death to the next grant, median
	OutMax time.Duration `json:"out_max_ns"`  // the longest
	Share  float64       `json:"unavailable"` // share of the time, at one death in Rates.DeathEvery

	// Renewals are the thirds of the TTL that sections lasted: what a watchdog sends, or would
	// send, for a thousand sections.
	Renewals float64 `json:"renewals_per_thousand_sections"`
	Outlived int     `json:"outlived"` // sections that lasted as long as the TTL, or longer
}

// scale turns what was counted into rates.
func (c *tally) scale(overruns int, rates Rates) TTL {
	out := TTL{
		TTL: time.Duration(c.ttl), Sections: c.sections, Stops: c.stops, Overruns: overruns, Deaths: len(c.outages),
		Out: median(c.outages), Outlived: c.outlived,
	}
	if c.stops > 0 {
		stopped := 1e6 / float64(max(1, rates.StopEvery)) // of a million sections
		out.OverrunsPerMillion = stopped * float64(overruns) / float64(c.stops)
		if overruns == 0 {
			out.AtMost = stopped * (1 - math.Pow(0.05, 1/float64(c.stops)))
		}
	}
	if len(c.outages) > 0 {
		out.OutMax = slices.Max(c.outages)
		var sum time.Duration
		for _, o := range c.outages {
			sum += o
		}
		mean := float64(sum) / float64(len(c.outages))
		out.Share = min(1, mean/float64(max(1, rates.DeathEvery)))
	}
	if c.sections > 0 {
		out.Renewals = 1000 * float64(c.renewals) / float64(c.sections)
	}
	return out
}
