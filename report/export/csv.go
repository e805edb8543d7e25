package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"locktorture/history"
	"locktorture/timeline"
)

// columns describe the table. A row is an operation, in the order of their ends, or an event; a
// cell without a meaning is empty.
var columns = []struct {
	name string
	of   func(r row) string
}{
	{"line", func(r row) string { return strconv.Itoa(r.line) }},
	{"start_s", func(r row) string { return seconds(r.start()) }},
	{"end_s", func(r row) string { return seconds(r.last.Time) }},
	{"duration_ms", func(r row) string { return decimal(r.last.Time-r.start(), 6) }},
	{"client", func(r row) string { return count(int64(r.last.Client)) }},
	{"process", func(r row) string { return strconv.Itoa(r.last.Process) }},
	{"f", func(r row) string { return string(r.last.F) }},
	{"result", func(r row) string { return r.result }},
	{"lock", func(r row) string { return r.first.Lock }},
	{"lease", func(r row) string { return count(r.last.Lease) }},
	{"token", func(r row) string { return tokenOf(r.last.Token) }},
	{"mode", func(r row) string { return r.first.Mode }},
	{"permits", func(r row) string { return count(int64(r.first.Permits)) }},
	{"valid_until_least_s", func(r row) string { return validity(r.last, r.last.UntilMin) }},
	{"valid_until_most_s", func(r row) string { return validity(r.last, r.last.UntilMax) }},
	{"store", func(r row) string { return r.last.Store }},
	{"key", func(r row) string { return r.last.Key }},
	{"value", func(r row) string { return r.last.Value }},
	{"expect", func(r row) string { return r.last.Expect }},
	{"applied_as", func(r row) string { return count(r.last.Apply) }},
	{"refused_by", func(r row) string { return r.last.Refused }},
	{"node", func(r row) string { return r.last.Node }},
	{"fault", func(r row) string { return count(int64(r.last.Fault)) }},
	{"error", func(r row) string { return r.last.Error }},
}

// A row is an operation or an event.
type row struct {
	line        int // of the history, of its last entry
	first, last *history.Op
	result      string // ok, fail, unknown, open, event
	lease       *timeline.Lease
	ended       []*timeline.Lease // by a crash
}

// CSV writes one row for each operation and each event, with the units in the header. A cell
// that a spreadsheet would take for a formula has an apostrophe before it.
func CSV(w io.Writer, src history.Source) error {
	out := csv.NewWriter(w)
	head := make([]string, len(columns))
	for i, c := range columns {
		head[i] = c.name
	}
	if err := out.Write(head); err != nil {
		return err
	}
	cells := make([]string, len(columns))
	err := eachRow(src, func(r row) error {
		for i, c := range columns {
			cells[i] = plain(c.of(r))
		}
		return out.Write(cells)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// eachRow gives the operations and events of a history. What never returned comes last.
func eachRow(src history.Source, do func(r row) error) error {
	line := 0
	var last *history.Op
	open, err := timeline.WalkAll(src, func(e timeline.Entry) error {
		line++
		last = e.Op
		switch {
		case e.Type == history.Invoke:
			return nil
		case e.Inv == nil:
			return do(row{line, e.Op, e.Op, "event", e.Lease, e.Ended})
		}
		return do(row{line, e.Inv, e.Op, result(e.Type), e.Lease, nil})
	})
	if err != nil {
		return err
	}
	for _, f := range open {
		end := *f.Op
		end.Time = last.Time
		if err := do(row{f.Line + 1, f.Op, &end, "open", nil, nil}); err != nil {
			return err
		}
	}
	return nil
}

func result(t history.Type) string {
	if t == history.Info {
		return "unknown"
	}
	return string(t)
}

// start returns when an operation was called, or an event began.
func (r row) start() int64 {
	if began, ok := r.last.Began(); ok && r.last.F.Event() {
		return began
	}
	return r.first.Time
}

// validity returns a time that an answer tells.
func validity(op *history.Op, at int64) string {
	switch {
	case op.F != history.Ask && op.F != history.Probe || at == 0:
		return ""
	case at == history.Never:
		return "inf"
	}
	return seconds(at)
}

func seconds(ns int64) string { return decimal(ns, 9) }

// decimal returns a number with so many places after its point.
func decimal(n int64, places int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := strconv.FormatInt(n, 10)
	if len(s) <= places {
		s = strings.Repeat("0", places+1-len(s)) + s
	}
	return sign + s[:len(s)-places] + "." + s[len(s)-places:]
}

// count returns a number, unless it is 0, which says that there is none.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func tokenOf(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// plain returns a cell that nothing takes for a formula.
func plain(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
