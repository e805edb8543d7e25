package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"locktorture/history"
)

// full is an entry with every field set, and strings that need escapes.
var full = history.Op{
	Time: 12, Process: 3, Client: 2, Type: history.OK, F: history.Ask, Lock: "L", Lease: 9, Token: math.MaxUint64,
	UntilMin: 5, UntilMax: history.Never, Store: history.Plain, Key: "a/b", Value: "q\"\\\n\r\t\x01é<&>\u2028",
	Apply: 4, Refused: history.ByServer, ForRecord: true, Node: "redis-1", Fault: 7, Error: "dial tcp: no",
}

// asked begins a history.
var asked = history.Op{Process: 3, Type: history.Invoke, F: history.Ask}

func counter() func() int64 {
	var n atomic.Int64
	return func() int64 { return n.Add(1) }
}

func TestAppendJSONIsWhatEncodingJSONReads(t *testing.T) {
	for _, op := range []history.Op{full, {Type: history.Info, F: history.Fault, Process: history.Nemesis}, {Time: 9, UntilMin: 2, Type: history.Info, F: history.Stall, Process: history.Harness}} {
		var got history.Op
		if err := json.Unmarshal(op.AppendJSON(nil), &got); err != nil {
			t.Fatalf("%s: %v", op.AppendJSON(nil), err)
		}
		if d := cmp.Diff(op, got); d != "" {
			t.Error(d)
		}
	}
	bad := history.Op{Error: "a\xffb"}
	var got history.Op
	if err := json.Unmarshal(bad.AppendJSON(nil), &got); err != nil || got.Error != "a\ufffdb" {
		t.Errorf("not UTF-8: %q, %v", got.Error, err)
	}
}

func TestRecorderOrdersLinesByTime(t *testing.T) {
	var out bytes.Buffer
	var tick atomic.Int64
	back := func() int64 { // a clock that jumps back now and then
		n := tick.Add(1)
		return n - n%7
	}
	r := history.NewRecorder(&out, back)
	var wg sync.WaitGroup
	for p := range 8 {
		wg.Go(func() {
			for range 500 {
				if _, err := r.Record(history.Op{Process: p, Type: history.Invoke, F: history.Ask}); err != nil {
					t.Error(err)
				}
				if _, err := r.Record(history.Op{Process: p, Type: history.OK, F: history.Ask}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	h, truncated, err := history.ReadAll(&out)
	if err != nil || truncated || len(h) != 8000 {
		t.Fatalf("%d entries, truncated %v, %v", len(h), truncated, err)
	}
}

func TestRecordReturnsWhatItWrote(t *testing.T) {
	var out bytes.Buffer
	r := history.NewRecorder(&out, func() int64 { return 77 })
	op, err := r.Record(history.Op{Type: history.Info, F: history.Crash, Client: 1})
	if err != nil || op.Time != 77 {
		t.Fatalf("%+v, %v", op, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	h, _, err := history.ReadAll(&out)
	if err != nil || len(h) != 1 || !cmp.Equal(h[0], op) {
		t.Fatalf("%+v, %v", h, err)
	}
	if _, err := r.Record(op); !errors.Is(err, history.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// Nothing follows the end: what comes late would make the history unreadable.
func TestNothingIsRecordedAfterTheEnd(t *testing.T) {
	var out bytes.Buffer
	r := history.NewRecorder(&out, counter())
	if _, err := r.Record(history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: history.Complete}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Record(full); !errors.Is(err, history.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	h, truncated, err := history.ReadAll(&out)
	if err != nil || truncated || len(h) != 1 || h[0].F != history.End {
		t.Errorf("%+v, truncated %v, %v", h, truncated, err)
	}
}

// Whatever is recorded can be read again: what a reader refuses is refused, and what others
// have written is cut.
func TestWhatIsRecordedCanBeRead(t *testing.T) {
	long, garbage := strings.Repeat("ä", 1<<19), strings.Repeat("\xff", 1<<20)
	pair := func(p int, done history.Op) []history.Op {
		invoke := done
		invoke.Process, invoke.Type, invoke.Lease, invoke.UntilMin, invoke.Error, invoke.Value = p, history.Invoke, 0, 0, "", ""
		done.Process = p
		return []history.Op{invoke, done}
	}
	for _, tt := range []struct {
		name    string
		ops     []history.Op
		refused bool
	}{
		{"a long error", pair(1, history.Op{F: history.Acquire, Type: history.Info, Error: long}), false},
		{"an error of no text", pair(1, history.Op{F: history.Acquire, Type: history.Info, Error: garbage}), false},
		{"a long owner", pair(1, history.Op{F: history.Acquire, Type: history.OK, Lease: 1, Value: garbage}), false},
		{"a long owner on a server", []history.Op{{Process: history.Harness, Type: history.Info, F: history.Probe, Value: long}}, false},
		{"a value of the store that is too long", pair(1, history.Op{F: history.Read, Type: history.OK, Value: long}), true},
		{"a validity that ends before it ends", pair(1, history.Op{F: history.Ask, Type: history.OK, UntilMin: history.Never, UntilMax: 3}), true},
		{"a lease twice", append(pair(1, history.Op{F: history.Acquire, Type: history.OK, Lease: 1}), pair(2, history.Op{F: history.Acquire, Type: history.OK, Lease: 1})...), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			r := history.NewRecorder(&out, counter())
			var refused error
			for _, op := range tt.ops {
				if _, err := r.Record(op); err != nil {
					refused = err
				}
			}
			if (refused != nil) != tt.refused {
				t.Errorf("refused: %v, want %v", refused, tt.refused)
			}
			if _, err := r.Record(history.Op{Process: 9, F: history.Ask, Type: history.Invoke}); (err != nil) != tt.refused {
				t.Errorf("the next entry: %v", err)
			}
			if _, err := r.Record(history.Op{Process: history.Harness, F: history.End, Type: history.Info}); err != nil {
				t.Errorf("the end: %v", err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if longest := slices.MaxFunc(bytes.Split(out.Bytes(), []byte("\n")), func(a, b []byte) int { return len(a) - len(b) }); len(longest) > 5000 {
				t.Errorf("a line of %d bytes", len(longest))
			}
			h, truncated, err := history.ReadAll(&out)
			if err != nil || truncated || h[len(h)-1].F != history.End {
				t.Errorf("truncated %v, %v", truncated, err)
			}
		})
	}
}

// TestRandomEntries records entries of which some were drawn blindly and are against the
// rules. The file can be read in any case, and has what was not refused.
func TestRandomEntries(t *testing.T) {
	types := []history.Type{history.Invoke, history.OK, history.Fail, history.Info, "", "okk"}
	fs := []history.F{history.Acquire, history.Release, history.Ask, history.Read, history.Write, history.Lost, history.Crash, history.Probe, history.Fault, history.Heal, history.End, "steal"}
	texts := []string{"", "a", "\xff\x00\n\"", strings.Repeat("\xe4", 5000), strings.Repeat("ü", 400_000)}
	ends, refusals := 0, 0
	for i := range 1000 {
		d := rand.New(rand.NewPCG(20261121, uint64(i)))
		var out bytes.Buffer
		r := history.NewRecorder(&out, counter())
		taken := 0
		for n := range 1 + d.IntN(12) {
			op := history.Op{
				Process: d.IntN(5) - 2, Type: types[d.IntN(len(types))], F: fs[d.IntN(len(fs))], Lease: int64(d.IntN(4) - 1), Fault: d.IntN(3) - 1,
				Key: texts[d.IntN(3)], UntilMin: d.Int64() >> d.IntN(64), UntilMax: d.Int64() >> d.IntN(64), Error: texts[d.IntN(len(texts))],
			}
			switch d.IntN(12) {
			case 0:
			case 1:
				op = history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: op.Error}
			case 2:
				op = history.Op{Process: 100 + n, Type: history.Invoke, F: history.Write, Value: op.Error + op.Error}
			default:
				op = history.Op{Process: 100 + n, Type: history.Invoke, F: history.Read, Error: op.Error}
			}
			if _, err := r.Record(op); err == nil {
				taken++
			} else {
				refusals++
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		h, truncated, err := history.ReadAll(&out)
		if err != nil || truncated || len(h) != taken {
			t.Fatalf("round %d: %d of %d entries read, truncated %v, %v", i, len(h), taken, truncated, err)
		}
		if taken > 1 && h[taken-1].F == history.End {
			ends++
		}
	}
	if ends == 0 || refusals == 0 {
		t.Errorf("%d ends, %d refusals: they prove nothing", ends, refusals)
	}
}

// The recorder's longest line is the reader's.
func TestLongestLine(t *testing.T) {
	const most = 1 << 20
	write := history.Op{Time: 7, Process: 1, Type: history.Invoke, F: history.Write, Key: "k", Value: "v"}
	for _, over := range []int{0, 1} {
		op := write
		op.Value = strings.Repeat("v", most-len(write.AppendJSON(nil))+1+over)
		var out bytes.Buffer
		r := history.NewRecorder(&out, func() int64 { return 7 })
		if _, err := r.Record(op); (err != nil) != (over > 0) {
			t.Errorf("a line of %d bytes: %v", most+over, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if h, _, err := history.ReadAll(&out); err != nil || len(h) != 1-over {
			t.Errorf("a line of %d bytes: %d entries read, %v", most+over, len(h), err)
		}
		if _, _, err := history.ReadAll(bytes.NewReader(append(op.AppendJSON(nil), '\n'))); (err != nil) != (over > 0) {
			t.Errorf("the reader takes a line of %d bytes: %v", most+over, err)
		}
	}
}

// What was recorded must be in the file soon without a Close: a killed
// harness does not get to close anything.
func TestRecorderFlushesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		r := history.NewRecorder(&out, counter())
		if _, err := r.Record(asked); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if out.Len() == 0 {
			t.Error("nothing written after 100 ms")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Len()
}

var errDisk = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errDisk }

func TestWriteErrorIsSticky(t *testing.T) {
	r := history.NewRecorder(failing{}, counter())
	if _, err := r.Record(asked); err != nil {
		t.Fatalf("first: %v", err)
	}
	if err := r.Flush(); !errors.Is(err, errDisk) {
		t.Errorf("Flush: %v", err)
	}
	if _, err := r.Record(asked); !errors.Is(err, errDisk) {
		t.Errorf("Record: %v", err)
	}
	if err := r.Close(); !errors.Is(err, errDisk) {
		t.Errorf("Close: %v", err)
	}
}

func BenchmarkRecorder(b *testing.B) {
	start := time.Now()
	r := history.NewRecorder(io.Discard, func() int64 { return int64(time.Since(start)) })
	grant := history.Op{Process: 12, Client: 3, Type: history.Invoke, F: history.Acquire, Lock: "L"}
	_, _ = r.Record(grant)
	grant.Type, grant.Lease = history.OK, 4711
	_, _ = r.Record(grant)
	op := history.Op{
		Process: 12, Client: 3, Type: history.OK, F: history.Write, Lock: "L", Lease: 4711,
		Token: 4711, Store: history.Plain, Key: "L/counter", Value: "4710", Apply: 9420,
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if op.Type == history.OK {
			op.Type = history.Invoke
		} else {
			op.Type = history.OK
		}
		if _, err := r.Record(op); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
