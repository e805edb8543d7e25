package bench

import "time"

// A Report has all results of one run of the benchmark.
type Report struct {
	Started  time.Time     `json:"started"`
	Host     Host          `json:"host"`
	Duration time.Duration `json:"duration_ns"` // duration of one measurement
	TTL      time.Duration `json:"ttl_ns"`
	Hold     time.Duration `json:"hold_ns"` // how long a client holds a lock that others wait for
	Plan     Plan          `json:"plan"`
	Backends []Backend     `json:"backends"`
	Peers    []Peer        `json:"peers,omitempty"`
	Articles []Article     `json:"articles,omitempty"`
	// Interrupted: measurements that had not been made by then are missing.
	Interrupted bool `json:"interrupted,omitempty"`
}

// A Host is what absolute figures depend on. Load is the number of
// processes that wanted to run, over a minute, when the benchmark began and when it ended;
// negative where the system does not tell.
type Host struct {
	OS         string  `json:"os"`
	CPUs       int     `json:"cpus"`
	LoadBefore float64 `json:"load_before"`
	LoadAfter  float64 `json:"load_after"`
}

// Find returns a backend; nil if it was not measured.
func (r Report) Find(name string) *Backend {
	for i := range r.Backends {
		if r.Backends[i].Backend == name {
			return &r.Backends[i]
		}
	}
	return nil
}

// Failed reports whether a measurement is missing for another reason than an interruption.
func (r Report) Failed() bool {
	for _, b := range r.Backends {
		if len(b.Errors) > 0 {
			return true
		}
	}
	for _, p := range r.Peers {
		if len(p.Errors) > 0 {
			return true
		}
	}
	return false
}

// An Article is a figure that articles on locks give, beside ours. An operation
// is an acquire or a release. What holds on any machine is not the figure
// but its ratio to the first row.
type Article struct {
	What    string  `json:"what"`
	Theirs  string  `json:"theirs"`                    // the article's figure, in its words
	OfFirst float64 `json:"theirs_of_first,omitempty"` // 0: no number, or no first row
	Backend string  `json:"backend"`                   // backend that was measured
	Ours    float64 `json:"operations_per_second"`
	OursOf  float64 `json:"ours_of_first,omitempty"`
}

// articles pairs what articles write with the sides that measure the same.
// The first backend that was measured counts.
func articles() []struct {
	what, theirs string
	perSecond    float64
	side         string
	backends     []string
} {
	return []struct {
		what, theirs string
		perSecond    float64
		side         string
		backends     []string
	}{
		{"bare SET NX", "95,000/s", 95_000, BareSide, []string{"redis-set", "redis-lua", "redis-fenced"}},
		{"a lock in Lua", "78,000/s", 78_000, LockSide, []string{"redis-lua", "redis-fenced"}},
		{"Redlock", "18,000/s", 18_000, LockSide, []string{"redlock", "redsync"}},
		{"ZooKeeper", "thousands/s", 0, LockSide, []string{"zookeeper", "gozk"}},
	}
}

// Compare fills in the articles' figures beside those that were measured.
func (r *Report) Compare() {
	r.Articles = nil
	first, theirFirst := 0.0, 0.0
	for _, a := range articles() {
		for _, name := range a.backends {
			b := r.Find(name)
			if b == nil || b.Best(a.side, Exclusive) == 0 {
				continue
			}
			ours := 2 * b.Best(a.side, Exclusive)
			row := Article{What: a.what, Theirs: a.theirs, Backend: name, Ours: ours}
			if theirFirst == 0 && a.side == BareSide {
				first, theirFirst = ours, a.perSecond
			}
			if first > 0 {
				row.OursOf, row.OfFirst = ours/first, a.perSecond/theirFirst
			}
			r.Articles = append(r.Articles, row)
			break
		}
	}
}
