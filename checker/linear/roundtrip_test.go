package linear_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
	"locktorture/checker/linear/jepsen"
)

// TestRoundTrip writes random histories in a random form of those found in the
// wild, with times that say nothing, and reads them back.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 13))
	for _, model := range []string{"mutex", "lease", "fenced", "register", "counter", "faa", "inventory"} {
		t.Run(model, func(t *testing.T) {
			for i := range *histories / 40 {
				cfg := gen.Config{Model: model, Processes: 4, Operations: 12, Unknown: 0.1, Tries: 0.3, MinStep: 1, MaxStep: 3, Stock: 5}
				ops := slices.DeleteFunc(gen.History(r, cfg), func(o linear.Operation) bool {
					return o.F == linear.End || o.F == linear.Read && o.Status != linear.OK
				})
				events := ordered(ops)
				sum := model == "counter" || model == "faa" || model == "inventory"
				text := written(r, events, sum)
				h, err := jepsen.Read(bytes.NewReader(text), jepsen.Options{FailedCAS: true})
				if err != nil {
					t.Fatalf("history %d: %v\n%s", i, err, text)
				}
				var got []linear.Operation
				for _, o := range h.Objects {
					got = append(got, o.Operations...)
				}
				for k := range got {
					got[k].Line = 0
				}
				byCall := func(a, b linear.Operation) int { return cmp.Compare(a.Call, b.Call) }
				slices.SortFunc(got, byCall)
				if d := gocmp.Diff(restamped(ops, events, sum), got); d != "" {
					t.Fatalf("history %d: -want +got\n%s\n%s", i, d, text)
				}
			}
		})
	}
}

// A moment is the call or the return of an operation.
type moment struct {
	op   *linear.Operation
	at   int64
	done bool
}

// ordered returns the moments of operations, calls first at one stamp.
func ordered(ops []linear.Operation) (out []moment) {
	for i := range ops {
		o := &ops[i]
		out = append(out, moment{o, o.Call, false})
		if o.Status != linear.Pending {
			out = append(out, moment{o, o.Return, true})
		}
	}
	slices.SortStableFunc(out, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(fmt.Sprint(a.done), fmt.Sprint(b.done)))
	})
	return out
}

// restamped gives operations the places of their moments as stamps.
func restamped(ops []linear.Operation, events []moment, sum bool) []linear.Operation {
	place := map[*linear.Operation][2]int64{}
	for i, e := range events {
		p := place[e.op]
		if e.done {
			p[1] = int64(i) + 1
		} else {
			p[0] = int64(i) + 1
		}
		place[e.op] = p
	}
	var out []linear.Operation
	for i := range ops {
		o := ops[i]
		o.Call, o.Return, o.Line = place[&ops[i]][0], place[&ops[i]][1], 0
		if o.F == linear.Read && sum {
			o.Value = strconv.FormatInt(o.Number, 10)
		} else if o.F == linear.Read {
			o.Number, _ = strconv.ParseInt(o.Value, 10, 64)
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b linear.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return out
}

// A form is how a history is written.
type form struct{ json, vector, indexed, sum bool }

// written writes events in a random form.
func written(r *rand.Rand, events []moment, sum bool) []byte {
	f := form{r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0, sum}
	var entries []string
	for i, e := range events {
		entries = append(entries, f.entry(r, i, e))
	}
	if f.indexed {
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	}
	between := []string{"\n", "\r\n", "\r", " \n\n"}[r.IntN(4)]
	if f.vector && f.json {
		between = ","
	}
	text := strings.Join(entries, between)
	if f.vector {
		text = "[" + text + "]"
	}
	if r.IntN(3) == 0 {
		text = "\xef\xbb\xbf" + text
	}
	if r.IntN(3) > 0 {
		return []byte(text)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// entry writes one moment. Its time is any.
func (f form) entry(r *rand.Rand, i int, e moment) string {
	kind := "invoke"
	if e.done {
		kind = map[linear.Status]string{linear.OK: "ok", linear.Refused: "fail"}[e.op.Status]
	}
	fields := []string{
		f.pair("type", f.name(kind)), f.pair("f", f.name(e.op.F.String())), f.pair("process", strconv.Itoa(e.op.Process)),
		f.pair("value", f.value(e)), f.pair("time", strconv.Itoa(r.IntN(1000))),
	}
	if f.indexed {
		fields = append(fields, f.pair("index", strconv.Itoa(i+1)))
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, []string{", ", ",\n "}[r.IntN(2)]) + "}"
}

func (f form) pair(key, value string) string {
	if f.json {
		return f.name(key) + ": " + value
	}
	return ":" + key + " " + value
}

func (f form) name(s string) string {
	if f.json {
		return `"` + s + `"`
	}
	return ":" + s
}

// value is what was asked or answered.
func (f form) value(e moment) string {
	null := map[bool]string{true: "null", false: "nil"}[f.json]
	o := e.op
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	switch o.F {
	case linear.Read:
		switch {
		case !e.done:
			return null
		case !f.sum:
			return text(o.Value)
		}
		return strconv.FormatInt(o.Number, 10)
	case linear.Write, linear.Append:
		return text(o.Value)
	case linear.CAS:
		return "[" + text(o.Expect) + ", " + text(o.Value) + "]"
	case linear.Add:
		return strconv.FormatInt(o.Delta, 10)
	case linear.FetchAdd:
		if e.done {
			return strconv.FormatInt(o.Number, 10)
		}
		return strconv.FormatInt(o.Delta, 10)
	}
	if o.Token == 0 || e.done != (o.F == linear.Acquire) {
		return null
	}
	return strconv.FormatUint(o.Token, 10)
}
