package checker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestForTheRecordIsNoVerdict judges each history of the corpus with and without the mark that
// the harness, and not the client, asked. It must make no difference.
func TestForTheRecordIsNoVerdict(t *testing.T) {
	asks := 0
	for name, about := range corpus(t) {
		h := about.read(t, name)
		var verdicts [2]string
		for i := range verdicts {
			for k := range h {
				if h[k].F == history.Ask {
					h[k].ForRecord = i == 1
					asks++
				}
			}
			b, err := json.MarshalIndent(checker.Check(h, about.Options, invariant.Counter{}), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			verdicts[i] = withoutMarks(string(b))
		}
		if d := cmp.Diff(verdicts[0], verdicts[1]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if asks < 1000 {
		t.Errorf("only %d asks in the corpus", asks)
	}
}

// withoutMarks leaves out the lines of a verdict that say for_record of its witnesses.
func withoutMarks(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		if !strings.Contains(line, `"for_record"`) {
			out = append(out, strings.TrimRight(line, ",\n"))
		}
	}
	return strings.Join(out, "\n")
}
