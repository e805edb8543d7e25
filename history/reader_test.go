package history_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"locktorture/history"
)

const invoke = `{"time":1,"process":0,"type":"invoke","f":"acquire","lock":"L"}` + "\n"

func TestReaderNamesLineAndCause(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"type", invoke + `{"time":2,"process":0,"type":"okk","f":"acquire"}` + "\n", `history: line 2: unknown type "okk"`},
		{"function", `{"time":2,"process":0,"type":"ok","f":"steal"}` + "\n", `history: line 1: unknown f "steal"`},
		{"return before call", invoke + `{"time":0,"process":0,"type":"fail","f":"acquire"}` + "\n", "history: line 2: time goes back from 1 to 0"},
		{"no invocation", `{"time":2,"process":4,"type":"ok","f":"read"}` + "\n", "history: line 1: process 4 completes read, which it has not invoked"},
		{"other function", invoke + `{"time":2,"process":0,"type":"ok","f":"read"}` + "\n", "history: line 2: process 0 completes read while its acquire is under way"},
		{"two at once", invoke + `{"time":2,"process":0,"type":"invoke","f":"try"}` + "\n", "history: line 2: process 0 invokes try while its acquire is under way"},
		{"after unknown", invoke + `{"time":2,"process":0,"type":"info","f":"acquire"}` + "\n" + strings.Replace(invoke, ":1,", ":3,", 1), "history: line 3: process 0 invokes acquire after its acquire of unknown outcome"},
		{"after crash", `{"time":1,"process":0,"type":"info","f":"crash"}` + "\n" + invoke, "history: line 2: process 0 invokes acquire after its crash"},
		{"grant without lease", invoke + `{"time":2,"process":0,"type":"ok","f":"acquire"}` + "\n", "history: line 2: grant without a lease number"},
		{"unknown lease", `{"time":2,"process":0,"type":"invoke","f":"read","lease":3}` + "\n", "history: line 1: read under lease 3, which was not granted"},
		{"UTF-8", invoke + "{\"time\":2,\"process\":0,\"type\":\"\xff\"}\n", "history: line 2: invalid UTF-8"},
		{"long line", invoke + `{"error":"` + strings.Repeat("x", 1<<20) + "\"}\n", "history: line 2: longer than 1 MiB"},
		{"unknown field", `{"tiem":1}` + "\n", `history: line 1: json: unknown field "tiem"`},
		{"wrong kind", `{"time":"1"}` + "\n", `history: line 1: field "time" cannot hold a string`},
		{"cut off, but not last", "{\"time\":1,\n" + invoke, "history: line 1: object is cut off"},
		{"two objects", "{}{}\n", "history: line 1: more than one object"},
		{"empty line", invoke + "\n", "history: line 2: empty line"},
		{"event with outcome", `{"time":1,"process":0,"type":"ok","f":"crash"}` + "\n", `history: line 1: crash is an event, its type must be "info", not "ok"`},
		{"heal of nothing", `{"time":1,"process":-1,"type":"info","f":"heal","fault":2}` + "\n", "history: line 1: heal of fault 2, which is not in place"},
		{"after the end", `{"time":1,"process":-2,"type":"info","f":"end","value":"complete"}` + "\n" + invoke, "history: line 2: acquire after the end of the run"},
		{"two ends", strings.Repeat(`{"time":1,"process":-2,"type":"info","f":"end"}`+"\n", 2), "history: line 2: end after the end of the run"},
		{"end by a client", `{"time":1,"process":3,"type":"info","f":"end"}` + "\n", "history: line 1: end of process 3, must be -2"},
		{"stall of a client", `{"time":9,"process":0,"type":"info","f":"stall","until_min":3}` + "\n", "history: line 1: stall of process 0, must be -2"},
		{"stall that ends before it began", `{"time":9,"process":-2,"type":"info","f":"stall","until_min":10}` + "\n", "history: line 1: stall from 10 to 9"},
		{"stall with an outcome", `{"time":9,"process":-2,"type":"ok","f":"stall"}` + "\n", `history: line 1: stall is an event, its type must be "info", not "ok"`},
		{"traits of an acquire", `{"time":1,"process":0,"type":"invoke","f":"acquire","traits":{}}` + "\n", "history: line 1: acquire with the traits of a fault"},
		{"unknown effect", `{"time":1,"process":-1,"type":"info","f":"fault","key":"k","fault":1,"traits":{"effect":"melted"}}` + "\n", `history: line 1: unknown effect "melted" of a fault`},
		{"unknown trait", `{"time":1,"process":-1,"type":"info","f":"fault","key":"k","fault":1,"traits":{"melts":true}}` + "\n", `history: line 1: json: unknown field "melts"`},
		{"negative trait", `{"time":1,"process":-1,"type":"info","f":"fault","key":"k","fault":1,"traits":{"ahead":-1}}` + "\n", "history: line 1: seen_late, ahead and rate of a fault must not be negative"},
		{"mode of a release", `{"time":1,"process":0,"type":"invoke","f":"release","mode":"shared"}` + "\n", `history: line 1: release with mode "shared"`},
		{"unknown mode", `{"time":1,"process":0,"type":"invoke","f":"acquire","mode":"upgrade"}` + "\n", `history: line 1: unknown mode "upgrade"`},
		{"permits without their mode", `{"time":1,"process":0,"type":"invoke","f":"acquire","mode":"shared","permits":1}` + "\n", `history: line 1: permits without mode "permits"`},
		{"more permits than there are", `{"time":1,"process":0,"type":"invoke","f":"acquire","mode":"permits","permits":4,"capacity":3}` + "\n", "history: line 1: 4 permits of 3"},
		{"a barrier of nobody", `{"time":1,"process":0,"type":"invoke","f":"acquire","mode":"party"}` + "\n", "history: line 1: acquire of 0 parties"},
		{"a latch of nobody", `{"time":1,"process":0,"type":"invoke","f":"await","lock":"a"}` + "\n", "history: line 1: await of 0 parties"},
		{"parties of a lock", `{"time":1,"process":0,"type":"invoke","f":"acquire","parties":2}` + "\n", "history: line 1: acquire of 2 parties"},
		{"no permits", `{"time":1,"process":0,"type":"invoke","f":"acquire","mode":"permits","capacity":3}` + "\n", "history: line 1: 0 permits of 3"},
		{"a write for the record", `{"time":1,"process":0,"type":"invoke","f":"write","for_record":true}` + "\n", "history: line 1: write for the record, only an ask can be"},
		{"until", `{"time":1,"process":0,"type":"invoke","f":"ask","until_min":3,"until_max":2}` + "\n", "history: line 1: until_min 3 after until_max 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := history.ReadAll(strings.NewReader(tt.in))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestCutOffLastLineIsForgiven(t *testing.T) {
	whole := invoke + strings.Replace(invoke, `"process":0`, `"process":1`, 1)
	for cut := range len(whole) + 1 {
		h, truncated, err := history.ReadAll(strings.NewReader(whole[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := strings.Count(whole[:cut], "\n")
		rest := cut > 0 && whole[cut-1] != '\n'
		complete := rest && whole[cut-1] == '}' // only the newline is missing
		if complete {
			lines++
		}
		if len(h) != lines || truncated != (rest && !complete) {
			t.Errorf("cut at %d: %d entries, truncated %v", cut, len(h), truncated)
		}
	}
}

func TestReaderTakesGzip(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, invoke)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, truncated, err := history.ReadAll(bytes.NewReader(z.Bytes()))
	if err != nil || truncated || len(h) != 1 {
		t.Fatalf("%d entries, %v, %v", len(h), truncated, err)
	}
	h, truncated, err = history.ReadAll(bytes.NewReader(z.Bytes()[:z.Len()-4]))
	if err != nil || !truncated || len(h) != 1 {
		t.Errorf("cut off: %d entries, %v, %v", len(h), truncated, err)
	}
}

// Lines by other hands (white space, escapes, other order) mean the same.
func TestReaderFallsBack(t *testing.T) {
	in := ` {"f":"acquire", "type":"inv\u006fke","time":1, "process":0}` + "\r\n"
	h, _, err := history.ReadAll(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := history.History{{Time: 1, Type: history.Invoke, F: history.Acquire}}
	if d := cmp.Diff(want, h); d != "" {
		t.Error(d)
	}
}

func TestPair(t *testing.T) {
	h := history.History{
		{Process: 0, Type: history.Invoke, F: history.Acquire},
		{Process: 1, Type: history.Invoke, F: history.Acquire},
		{Process: 1, Type: history.Info, F: history.Crash},
		{Process: 0, Type: history.Info, F: history.Lost},
		{Process: history.Harness, Type: history.Info, F: history.Stall},
		{Process: 0, Type: history.OK, F: history.Acquire, Lease: 1},
	}
	calls := history.Pair(h)
	if len(calls) != 2 || calls[0].Return != &h[5] || !calls[1].Pending() {
		t.Errorf("%+v", calls)
	}
}

// FuzzReader checks that no input panics, that what is read is a history,
// and that the fast parser and the encoder are inverse to each other.
func FuzzReader(f *testing.F) {
	f.Add([]byte(invoke))
	f.Add(append(full.AppendJSON(nil), '\n'))
	f.Add([]byte(`{"time":-0,"process":1e3}`))
	f.Add([]byte("{\"time\":1,\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		h, _, err := history.ReadAll(bytes.NewReader(in))
		if err != nil {
			return
		}
		if err := history.Validate(h); err != nil {
			t.Fatalf("read, but %v", err)
		}
		var out []byte
		for i := range h {
			out = append(h[i].AppendJSON(out), '\n')
		}
		again, truncated, err := history.ReadAll(bytes.NewReader(out))
		if err != nil || truncated {
			t.Fatalf("written and read again: %v %v\n%s", truncated, err, out)
		}
		if d := cmp.Diff(h, again); d != "" {
			t.Fatal(d)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	var file []byte
	const lines = 100_000
	for i := range lines / 2 {
		op := history.Op{
			Time: int64(i) * 20_000, Process: i % 10, Client: i%10 + 1, Type: history.Invoke, F: history.Write,
			Lock: "L", Store: history.Plain, Key: "L/counter", Value: fmt.Sprint(i),
		}
		file = append(op.AppendJSON(file), '\n')
		op.Type, op.Apply = history.OK, int64(i+1)
		file = append(op.AppendJSON(file), '\n')
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := history.NewReader(bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*lines)/b.Elapsed().Seconds(), "lines/s")
}
