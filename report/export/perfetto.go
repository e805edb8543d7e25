package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"

	"locktorture/history"
	"locktorture/report"
	"locktorture/timeline"
)

// An event is one of the Trace Event Format, which Perfetto and Chrome read. Times are in µs.
// Source: "Trace Event Format", Google, 2016 (the JSON form that ui.perfetto.dev still opens).
type event struct {
	Name string         `json:"name,omitempty"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   json.Number    `json:"ts,omitempty"`
	Dur  json.Number    `json:"dur,omitempty"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	ID   string         `json:"id,omitempty"`
	BP   string         `json:"bp,omitempty"` // of the end of a flow: e binds it to the slice around it
	S    string         `json:"s,omitempty"`  // scope of an instant: t is its track
	Args map[string]any `json:"args,omitempty"`
}

// The groups of tracks, in the order of Perfetto's.
const (
	clients = iota + 1
	locks
	nodes
	faults
	machine
)

// Perfetto writes a trace: a track for each client with its operations, for each lock with its
// leases, for each node with what was seen and said there, and for each kind of fault; flows
// go from a release to the grant that came next, and from a request to its reply.
func Perfetto(w io.Writer, run report.Run, src history.Source, said Messages) error {
	out := bufio.NewWriter(w)
	about, err := json.Marshal(map[string]any{"run": report.Headline(run), "version": run.Version, "reproduce": run.Reproduce})
	if err != nil {
		return err
	}
	if _, err := out.WriteString(`{"displayTimeUnit":"ms","otherData":` + string(about) + `,"traceEvents":[`); err != nil {
		return err
	}
	t := &tracks{out: out, numbers: map[string]int{}, leases: map[int64]*timeline.Lease{}, struck: map[int]*history.Op{}, released: map[string]*history.Op{}}
	for i, name := range []string{"clients", "locks", "nodes", "faults", "this machine"} {
		t.put(event{Name: "process_name", Ph: "M", PID: clients + i, Args: map[string]any{"name": name}})
		t.put(event{Name: "process_sort_index", Ph: "M", PID: clients + i, Args: map[string]any{"sort_index": i}})
	}
	if err := eachRow(src, t.row); err != nil {
		return err
	}
	t.close()
	if err := t.messages(said); err != nil {
		return err
	}
	if t.err != nil {
		return t.err
	}
	if _, err := out.WriteString("\n]}\n"); err != nil {
		return err
	}
	return out.Flush()
}

// put writes an event.
func (t *tracks) put(e event) {
	if t.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		t.err = err
		return
	}
	sep := ",\n"
	if t.count == 0 {
		sep = "\n"
	}
	t.count++
	if _, err = t.out.WriteString(sep); err == nil {
		_, err = t.out.Write(line)
	}
	t.err = err
}

// track returns the number of a track; a new one gets its name.
func (t *tracks) track(pid int, name string) int {
	key := strconv.Itoa(pid) + " " + name
	n, ok := t.numbers[key]
	if !ok {
		n = len(t.numbers) + 1
		t.numbers[key] = n
		t.put(event{Name: "thread_name", Ph: "M", PID: pid, TID: n, Args: map[string]any{"name": name}})
	}
	return n
}

// micro returns a time in µs.
func micro(ns int64) json.Number { return json.Number(decimal(ns, 3)) }

// sorted returns the values of a map, by a number of theirs.
func sorted[K comparable, V any](m map[K]V, by func(V) int) []V {
	return slices.SortedFunc(maps.Values(m), func(a, b V) int { return cmp.Compare(by(a), by(b)) })
}
