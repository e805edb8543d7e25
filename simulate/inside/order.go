package inside

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"locktorture/registry/onredis"
	"locktorture/wire/owner"
	"locktorture/workloads"
)

// An Order describes a run without faults, and can be stored as JSON. It is the first line that the
// harness reads. harness.Config explains the fields without a comment.
type Order struct {
	Backend   string            `json:"backend"`
	Options   map[string]string `json:"options,omitempty"` // options of the backend
	Own       *Own              `json:"own,omitempty"`     // the lock, if it is not in Locks; Backend is then only its name
	Endpoints []string          `json:"endpoints"`         // addresses of the servers, as clients dial them

	Workload string   `json:"workload"`
	Locks    []string `json:"locks"`          // names of the locks
	Keys     int      `json:"keys,omitempty"` // number of keys that each lock guards; 0: one
	Hold     string   `json:"hold,omitempty"` // lengths of sections (workloads.ParseSpread); "": the workload's own
	Think    string   `json:"think,omitempty"`

	Clients     int           `json:"clients"`
	TTL         time.Duration `json:"ttl"`
	Duration    time.Duration `json:"duration"` // length of the main phase; all times are virtual
	Wait        time.Duration `json:"wait,omitempty"`
	FreeWithin  time.Duration `json:"free_within"`
	Tail        time.Duration `json:"tail,omitempty"`
	LongestTail time.Duration `json:"longest_tail,omitempty"`

	Seed     uint64 `json:"seed"`
	Fencing  string `json:"fencing"`
	Careful  bool   `json:"careful"`
	Sections int    `json:"sections,omitempty"`

	Script *Script `json:"script,omitempty"` // the steps of the clients; nil: the workload
}

// A Script names a case of a scenario.
type Script struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"` // a variant of the backend
}

// Lock returns the lock of the order.
func (o Order) Lock() (onredis.Lock, error) {
	if o.Own != nil {
		return o.Own.lock()
	}
	l, ok := Find(o.Backend)
	if !ok {
		return l, fmt.Errorf("%s cannot be simulated; these locks can: %s; on etcd: %s; and on NATS: %s", o.Backend, names(Locks()), names(OnEtcd()), strings.Join(OnNATS(), ", "))
	}
	for option := range o.Options {
		if !slices.Contains(l.Options, option) {
			return l, fmt.Errorf("the option %s of %s cannot be simulated", option, o.Backend)
		}
	}
	return l, nil
}

// Names returns the translation from values on the servers to names of owners; nil if the servers
// store the owners' names.
func (o Order) Names() *owner.Names {
	if o.Own == nil || o.Own.Look == nil {
		return nil
	}
	return owner.New(*o.Own.Look)
}

// Work makes the workload of the order.
func (o Order) Work() (workloads.Workload, error) {
	make, ok := workloads.InMemory()[o.Workload]
	if !ok {
		return nil, fmt.Errorf("the workload %s cannot be simulated; these can: %s", o.Workload, names(workloads.InMemory()))
	}
	l, err := o.Lock()
	if err != nil {
		return nil, err
	}
	c := workloads.Config{Locks: o.Locks, Clients: o.Clients, Single: l.Traits.Single}
	if err := errors.Join(spread(o.Hold, &c.Hold), spread(o.Think, &c.Think)); err != nil {
		return nil, err
	}
	w := make(c)
	if o.Keys > 1 {
		w = workloads.Keyed{Workload: w, Keys: o.Keys}
	}
	return w, nil
}

// spread parses a distribution of times, unless the text is empty.
func spread(text string, to *workloads.Spread) (err error) {
	if text != "" {
		*to, err = workloads.ParseSpread(text)
	}
	return err
}

func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
