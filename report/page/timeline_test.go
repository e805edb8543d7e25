package page_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
)

var kindNames = []string{"wait", "hold", "beyond", "read", "write", "renew", "release", "lost", "crash", "probe", "open", "overtaken"}

// items decodes the timeline of a page as its script does and writes each
// item in a line: lane, kind, start and end in milliseconds, and the rest if
// there is any.
func items(t *testing.T, d map[string]any) []string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(d["items"].(string))
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b)
	u := func() int64 {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			t.Fatalf("items end early: %v", err)
		}
		return int64(v)
	}
	var out []string
	var lane, start, lease int64
	for r.Len() > 0 {
		kind, _ := r.ReadByte()
		flags, _ := r.ReadByte()
		if l := u(); l != lane || len(out) == 0 {
			lane, start, lease = l, 0, 0
		}
		start += u()
		dur, lock, text := u(), u(), u()
		step, _ := binary.ReadVarint(r)
		lease += step
		line := fmt.Sprintf("%v %s %g-%g", d["lanes"].([]any)[lane], kindNames[kind], float64(start)/1e3, float64(start+dur)/1e3)
		for _, f := range []struct {
			bit  byte
			name string
		}{{1, "fail"}, {2, "unknown"}, {4, "fenced"}, {8, "stale"}} {
			if flags&f.bit != 0 {
				line += " " + f.name
			}
		}
		if flags>>4 > 0 {
			line += fmt.Sprintf(" depth=%d", flags>>4)
		}
		if lease > 0 {
			line += fmt.Sprintf(" lease=%d", lease)
		}
		line += fmt.Sprintf(" %v %v", d["locks"].([]any)[lock], d["texts"].([]any)[text])
		out = append(out, strings.TrimSpace(line))
	}
	if n := d["count"].(float64); int(n) != len(out) {
		t.Errorf("%d items, the page says %g", len(out), n)
	}
	return out
}

const ms = 1_000_000 // ns

func TestTimelineItems(t *testing.T) {
	until := func(o history.Op, at int64) history.Op { o.UntilMin, o.UntilMax = at*ms-1, at*ms; return o }
	access := func(o history.Op, store, value, refused string, apply int64) history.Op {
		o.Store, o.Key, o.Value, o.Refused, o.Apply = store, "k", value, refused, apply
		return o
	}
	shared := func(o history.Op) history.Op { o.Mode = history.Shared; return o }
	campaign := func(o history.Op) history.Op { o.Mode = history.Campaign; return o }
	renumbered := func(o history.Op) history.Op { o.Process = 9; return o }
	nested := sample.Op(70, 3, history.OK, history.Acquire, 5)
	nested.Lock = "M"
	inner := sample.Op(65, 3, history.Invoke, history.Acquire, 0)
	inner.Lock = "M"
	for _, c := range []struct {
		why  string
		h    history.History
		want []string
	}{
		{"a lease that is released in time ends at the call of its release", history.History{
			sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(5, 1, history.OK, history.Acquire, 1), sample.Op(5, 1, history.Invoke, history.Ask, 1), until(sample.Op(6, 1, history.OK, history.Ask, 1), 50),
			sample.Op(20, 1, history.Invoke, history.Release, 1), sample.Op(22, 1, history.OK, history.Release, 1),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 hold 5-20 lease=1 L", "c1 release 20-22 lease=1 L"}},
		{"what is held after until_max is beyond, and a stale write is refused", history.History{
			sample.Op(0, 2, history.Invoke, history.Try, 0), sample.Op(5, 2, history.OK, history.Try, 1),
			sample.Op(5, 2, history.Invoke, history.Ask, 1), until(sample.Op(6, 2, history.OK, history.Ask, 1), 30),
			access(sample.Op(40, 2, history.Invoke, history.Write, 1), "fenced", "7", "", 0), access(sample.Op(42, 2, history.Fail, history.Write, 1), "fenced", "7", history.ByStore, 0),
			sample.Op(60, 2, history.Invoke, history.Release, 1), sample.Op(61, 2, history.Fail, history.Release, 1),
		}, []string{"c2 wait 0-5 lease=1 L", "c2 hold 5-30 lease=1 L", "c2 beyond 30-60 lease=1 L", "c2 write 40-42 fail fenced stale lease=1 L k = 7", "c2 release 60-61 fail lease=1 L"}},
		{"a told loss ends the validity, a crash the hold, the end of the history what is open", history.History{
			sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(0, 3, history.Invoke, history.Acquire, 0), sample.Op(5, 1, history.OK, history.Acquire, 1),
			sample.Op(10, 1, history.Info, history.Lost, 1), sample.Op(20, 1, history.Info, history.Crash, 0),
			sample.Op(30, 3, history.OK, history.Acquire, 2), inner, nested, sample.Op(80, 2, history.Invoke, history.Acquire, 0), sample.Op(90, 2, history.Info, history.Acquire, 0), sample.Op(100, 4, history.Invoke, history.Acquire, 0), sample.Op(110, 5, history.Info, history.Probe, 0),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 open 5-10 lease=1 L", "c1 beyond 10-20 lease=1 L", "c1 lost 10-10 lease=1 L", "c1 crash 20-20 L",
			"c2 wait 80-90 unknown L", "c3 wait 0-30 lease=2 L", "c3 open 30-110 lease=2 L", "c3 wait 65-70 lease=5 M", "c3 open 70-110 depth=1 lease=5 M",
			"c4 wait 100-110 unknown L  still unanswered when the history ended", "c5 probe 110-110 L : owner"}},
		{"a lease of which no end was told is not taken for valid, least of all once another is granted what it excludes: a reader and a writer each overtake the other", history.History{
			sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(5, 1, history.OK, history.Acquire, 1), sample.Op(6, 1, history.OK, history.Ask, 1),
			shared(sample.Op(7, 3, history.Invoke, history.Acquire, 0)), sample.Op(8, 3, history.OK, history.Acquire, 3),
			sample.Op(10, 2, history.Invoke, history.Acquire, 0), sample.Op(20, 2, history.OK, history.Acquire, 2), sample.Op(50, 1, history.Invoke, history.Release, 1), sample.Op(51, 1, history.OK, history.Release, 1),
			sample.Op(60, 2, history.Invoke, history.Release, 2), sample.Op(61, 2, history.OK, history.Release, 2), sample.Op(60, 3, history.Invoke, history.Release, 3), sample.Op(61, 3, history.OK, history.Release, 3),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 open 5-8 lease=1 L", "c1 overtaken 8-50 lease=1 L", "c1 release 50-51 lease=1 L",
			"c2 wait 10-20 lease=2 L", "c2 open 20-60 lease=2 L", "c2 release 60-61 lease=2 L", "c3 wait 7-8 lease=3 L", "c3 open 8-20 lease=3 L", "c3 overtaken 20-60 lease=3 L", "c3 release 60-61 lease=3 L"}},
		{"readers do not overtake each other", history.History{
			shared(sample.Op(0, 1, history.Invoke, history.Acquire, 0)), sample.Op(5, 1, history.OK, history.Acquire, 1), shared(sample.Op(7, 2, history.Invoke, history.Acquire, 0)), sample.Op(8, 2, history.OK, history.Acquire, 2),
			sample.Op(60, 2, history.Invoke, history.Release, 2), sample.Op(61, 2, history.OK, history.Release, 2),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 open 5-61 lease=1 L", "c2 wait 7-8 lease=2 L", "c2 open 8-60 lease=2 L", "c2 release 60-61 lease=2 L"}},
		{"an elected leader overtakes the one before", history.History{
			campaign(sample.Op(0, 1, history.Invoke, history.Acquire, 0)), sample.Op(5, 1, history.OK, history.Acquire, 1), campaign(sample.Op(7, 2, history.Invoke, history.Acquire, 0)), sample.Op(8, 2, history.OK, history.Acquire, 2),
			sample.Op(60, 1, history.Invoke, history.Release, 1), sample.Op(61, 1, history.OK, history.Release, 1),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 open 5-8 lease=1 L", "c1 overtaken 8-60 lease=1 L", "c1 release 60-61 lease=1 L", "c2 wait 7-8 lease=2 L", "c2 open 8-61 lease=2 L"}},
		{"a crash ends the leases that its client took under an earlier process number", history.History{
			sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(5, 1, history.OK, history.Acquire, 1), sample.Op(6, 1, history.Invoke, history.Renew, 1), sample.Op(9, 1, history.Info, history.Renew, 1),
			renumbered(sample.Op(12, 1, history.Invoke, history.Ask, 1)), renumbered(sample.Op(20, 1, history.Info, history.Crash, 0)), sample.Op(40, 2, history.Invoke, history.Acquire, 0), sample.Op(50, 2, history.Fail, history.Acquire, 0),
		}, []string{"c1 wait 0-5 lease=1 L", "c1 open 5-20 lease=1 L", "c1 renew 6-9 unknown lease=1 L", "c1 crash 20-20 L", "c2 wait 40-50 fail L"}},
	} {
		var html bytes.Buffer
		if err := page.Write(&html, report.Run{}, checker.Result{}, c.h); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, items(t, data(t, html.String()))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}

// TestFaultIsASpan: a band begins when its fault began to be put in place, and what is measured
// from its effect is measured from there.
func TestFaultIsASpan(t *testing.T) {
	fault := history.Op{Time: 10 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "clock", Node: "redis-1", Fault: 1}
	fault.SetBegan(4 * ms)
	var html bytes.Buffer
	if err := page.Write(&html, report.Run{}, checker.Result{}, history.History{fault, sample.Op(20, 1, history.Invoke, history.Acquire, 0), sample.Op(35, 1, history.OK, history.Acquire, 1)}); err != nil {
		t.Fatal(err)
	}
	band := data(t, html.String())["faults"].([]any)[0].(map[string]any)
	if band["since"] != 4000.0 || band["from"] != 10000.0 || !strings.Contains(html.String(), `<td class="num">25 ms</td>`) {
		t.Errorf("%v", band)
	}
}

func TestFaultBandsAndRecovery(t *testing.T) {
	fault := history.Op{Time: 10 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "pause", Node: "redis-1", Fault: 1, Value: "stopped"}
	heal := fault
	heal.F, heal.Time = history.Heal, 40*ms
	open := fault
	open.Fault, open.Time = 2, 60*ms
	h := history.History{sample.Op(0, 1, history.Invoke, history.Acquire, 0), fault, sample.Op(35, 1, history.OK, history.Acquire, 1), heal,
		sample.Op(45, 2, history.Invoke, history.Acquire, 0), sample.Op(50, 2, history.OK, history.Acquire, 2), open, sample.Op(80, 2, history.Invoke, history.Release, 2)}
	var html bytes.Buffer
	if err := page.Write(&html, report.Run{}, checker.Result{}, h); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td class="num">0.010 s</td><td class="num">30 ms</td><td class="num">25 ms</td><td class="num">10 ms</td>`,
		`<td class="num">0.060 s</td><td class="num">20 ms (to the end)</td><td class="num">none</td><td class="num">none</td>`,
	} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("no row %s", want)
		}
	}
}
