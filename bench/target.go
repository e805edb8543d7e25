package bench

import "slices"

// A Target is a backend on its servers, ready to be measured.
type Target struct {
	Backend string
	Servers []string // their versions
	Where   string   // topology, provisioner and why
	Ways    []Way    // of using it, at least one
	Single  bool     // of a latch: one count-down opens it
	Gauge   Gauge
	Held    int // locks held at a time when memory is measured; 0: it is not
}

// A Way is one way of using a backend, its sides in the mode that it is named by.
type Way struct {
	Mode string
	Lock Side
	Bare *Side // nil: there are no bare commands for it
	// Commands says which those are, or why there are none.
	Commands string
	Driver   *Side // the lock in processes of their own; nil: not measured
}

// A Plan says which measurements are made.
type Plan struct {
	Clients []int `json:"clients"` // numbers of clients, each with its own lock
	Waiters []int `json:"waiters"` // numbers of clients on one lock
	// Permits is the capacity of a semaphore that several clients want; 0: half as many as
	// there are clients.
	Permits int `json:"permits,omitempty"`
}

// capacity returns the number of permits of a semaphore for which n clients compete.
func (p Plan) capacity(n int) int {
	if p.Permits > 0 {
		return p.Permits
	}
	return max(1, n/2)
}

// A Backend has the measurements of one lock.
type Backend struct {
	Backend     string        `json:"backend"`
	Where       string        `json:"where,omitempty"`
	Servers     []string      `json:"servers,omitempty"`
	Bare        string        `json:"bare_commands,omitempty"`
	Counted     string        `json:"server_counters,omitempty"`
	Uncontended []Uncontended `json:"uncontended,omitempty"`
	Contended   []Contended   `json:"contended,omitempty"`
	Mixed       []Mix         `json:"mixed,omitempty"`
	Meetings    []Meeting     `json:"meetings,omitempty"`
	Memory      *Memory       `json:"memory,omitempty"`
	// Errors say why measurements are missing or incomplete.
	Errors []string `json:"errors,omitempty"`
}

// With returns what was measured with as many clients in a mode; nil if nothing was.
func (b Backend) With(clients int, mode string) *Uncontended {
	for i := range b.Uncontended {
		if b.Uncontended[i].Clients == clients && b.Uncontended[i].Mode == mode {
			return &b.Uncontended[i]
		}
	}
	return nil
}

// Alone returns the modes in which clients were measured that nobody contends with.
func (b Backend) Alone() (modes []string) {
	for _, u := range b.Uncontended {
		if !slices.Contains(modes, u.Mode) {
			modes = append(modes, u.Mode)
		}
	}
	return modes
}

// Called is what a backend is called where it is measured in a mode. Readers are named beside
// what is measured of all locks; other kinds have one mode only.
func (b Backend) Called(mode string) string {
	if mode == Shared {
		return b.Backend + " shared"
	}
	return b.Backend
}

// Best returns the highest rate that a side reached in a mode with any number of clients.
func (b Backend) Best(side, mode string) (best float64) {
	for _, u := range b.Uncontended {
		if m := u.Side(side); m != nil && u.Mode == mode {
			best = max(best, m.Rate.Median)
		}
	}
	return best
}

// Names of the sides of a target. The one that others are compared with comes first.
const (
	BareSide   = "bare"
	LockSide   = "lock"
	DriverSide = "driver"
)
