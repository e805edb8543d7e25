package runs

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
)

// A loadSpec is what the flags say about the load of a run.
type loadSpec struct {
	Store    string
	Keys     int
	Hot      float64
	Hold     string
	Think    string
	LongHold string
	Arrivals string
	Sections int
	Wait     time.Duration
}

// Register adds the flags.
func (l *loadSpec) Register(f *pflag.FlagSet) {
	f.StringVar(&l.Store, "store", "", "protected store: memory, redis, mysql, postgres, file (default: memory; for workload file-append: file)")
	f.IntVar(&l.Keys, "keys", 1, "number of objects that a lock protects")
	f.Float64Var(&l.Hot, "hot", 0, "exponent (above 1) of a Zipf distribution for the use of locks and keys; 0: all are used equally often")
	f.StringVar(&l.Hold, "hold", "", "duration of the work in a section (default 2ms-5ms); forms: 2ms, 1ms-5ms, exp:2ms (mean) or lognormal:2ms,50ms (median and 99th percentile)")
	f.StringVar(&l.Think, "think", "", "how long a client rests before a section; takes the same forms as --hold (default 1ms)")
	f.StringVar(&l.LongHold, "long-hold", "", "sections with longer holds: 1/50:3s means that one section in fifty, chosen at random, holds the lock for 3 s more; the time has a form of --hold, or is a number of TTLs; none: no such sections (default "+usualLongHold+"; none with --hold, and in runs shorter than five TTLs)")
	f.StringVar(&l.Arrivals, "arrivals", "closed", "when sections begin: closed (each client rests between its sections), poisson:200 (200 per second at random times, whether or not a client is free), even:200 (the same at equal intervals), burst:5s (all clients together, every 5 s)")
	f.IntVar(&l.Sections, "sections", 0, "end the run when each client has had this number of sections; 0: end the run after --duration")
	f.DurationVar(&l.Wait, "wait", 0, "how long a client waits for a lock before it gives up (default: 2 x ttl)")
}

// Check refuses what cannot be.
func (l loadSpec) Check() error {
	switch {
	case l.Keys < 1:
		return exit.Usage("--keys %d: at least one is needed", l.Keys)
	case l.Hot != 0 && l.Hot <= 1:
		return exit.Usage("--hot %g: an exponent above 1, or 0", l.Hot)
	case l.Sections < 0:
		return exit.Usage("--sections %d: must not be negative", l.Sections)
	case l.Wait < 0:
		return exit.Usage("--wait %s: must not be negative", l.Wait)
	}
	if _, ok := registry.Stores()[l.Store]; l.Store != "" && !ok {
		return UnknownName("store", l.Store, registry.Stores())
	}
	_, err := l.arrivals()
	return err
}

// arrivals is what the flags tell the harness.
func (l loadSpec) arrivals() (harness.Arrivals, error) {
	a, err := harness.ParseArrivals(l.Arrivals)
	if err != nil {
		return a, exit.Usage("--arrivals %v", err)
	}
	return a, nil
}

// direct reports whether clients speak to the servers without a proxy in
// between: nothing can strike the links, and a thousand clients in this
// process would make a thousand of them.
func (s Spec) direct() bool {
	return s.InProcess && s.Schedule == "" && len(s.Nemesis) == 1 && s.Nemesis[0] == "none"
}

// flags lists the flags with their effective values, of which two are given.
func (l loadSpec) flags(store, longHold string) []report.Flag {
	return []report.Flag{
		{Name: "store", Value: store}, {Name: "keys", Value: strconv.Itoa(l.Keys)},
		{Name: "hot", Value: strconv.FormatFloat(l.Hot, 'g', -1, 64)}, {Name: "hold", Value: l.Hold},
		{Name: "think", Value: l.Think}, {Name: "long-hold", Value: longHold}, {Name: "arrivals", Value: l.Arrivals},
		{Name: "sections", Value: strconv.Itoa(l.Sections)}, {Name: "wait", Value: l.Wait.String()},
	}
}
