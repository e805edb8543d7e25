package sweep

import (
	"math"
	"slices"
	"time"
)

// A Rates has the assumed rates of pauses and deaths of holders in production. The sweep
// measures chances, which these rates scale.
type Rates struct {
	StopEvery  int           `json:"stop_every_sections"` // one in this many sections is paused
	DeathEvery time.Duration `json:"death_every_ns"`      // mean time between deaths of holders
}

// A Report is the result of a sweep; sweep.json holds it. Durations are nanoseconds.
type Report struct {
	Started     time.Time     `json:"started"`
	Commit      string        `json:"commit"`
	Backend     string        `json:"backend"`
	Command     string        `json:"command"` // command that repeats the sweep
	Clients     int           `json:"clients"`
	Duration    time.Duration `json:"duration_ns"` // duration of the measurement of each TTL
	Hold        string        `json:"hold"`        // how long sections hold
	LongHold    string        `json:"long_hold"`
	Stops       string        `json:"stops"` // distribution of the lengths of pauses
	Rates       Rates         `json:"rates"`
	Renews      bool          `json:"renews"` // the lock renews a held lease by itself
	TTLs        []TTL         `json:"ttls"`
	Advice      string        `json:"advice"`
	Interrupted bool          `json:"interrupted,omitempty"` // TTLs has only those measured by then
}

// A TTL is the measurement of one time to live.
type TTL struct {
	TTL      time.Duration `json:"ttl_ns"`
	Grade    string        `json:"grade"` // grade of the run
	Dir      string        `json:"dir"`   // run directory, relative to the sweep's
	Sections int           `json:"sections"`
	Stops    int           `json:"stops"` // pauses that struck a holder
	Overruns int           `json:"overruns"`
	// OverrunsPerMillion is the number of overruns in a million sections, if one in
	// Rates.StopEvery sections is paused. AtMost is its bound at 95 % where none was seen, else
	// 0.
	OverrunsPerMillion float64 `json:"overruns_per_million_sections"`
	AtMost             float64 `json:"at_most_per_million_sections,omitempty"`

	Deaths int           `json:"deaths"`      // number of holders that were killed
	Out    time.Duration `json:"out_ns"`      // median time from a holder's death to the next grant
	OutMax time.Duration `json:"out_max_ns"`  // longest such time
	Share  float64       `json:"unavailable"` // share of time without the lock, at Rates.DeathEvery

	// Renewals is the number of renewals in a thousand sections, if a watchdog renews the lease
	// after each third of the TTL.
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
