package browsertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/report/export"
	"locktorture/report/internal/sample"
)

// A browser's own parser takes a trace, names from outside and all, with every lease and every
// fault in it.
func TestTraceIsRead(t *testing.T) {
	shape := sample.Broken()
	shape.Hostile = "\"</script>\u2028\\"
	run, _, h := shape.Make()
	var trace bytes.Buffer
	if err := export.Perfetto(&trace, run, h, nil); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(trace.String())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, "data:text/html,<title>trace</title>")
	const count = `(events => ["lease", "fault"].map(c => events.filter(e => e.ph == "b" && e.cat == c).length))`
	begun := get(t, b, chromedp.Evaluate[[]int](count+"(JSON.parse("+string(text)+").traceEvents)"))
	leases, faults := 0, 0
	for _, op := range h {
		if op.F == "acquire" && op.Type == "ok" {
			leases++
		}
		if op.F == "fault" && op.Type == "info" {
			faults++
		}
	}
	if !slices.Equal(begun, []int{leases, faults}) || leases == 0 || faults == 0 {
		t.Errorf("the browser read %v, the run has %d leases and %d faults", begun, leases, faults)
	}
}
