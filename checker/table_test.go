package checker_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/rule"
)

var update = flag.Bool("update", false, "write the table of anomalies into docs/verdicts.md")

// ofRules is a link of a row to the rule of an anomaly, which rules.md states.
var ofRules = regexp.MustCompile(`\[(?:rules|below)\]\(#([a-z-]+)\)`)

// TestTableOfAnomalies: docs/verdicts.md has the rows of all kinds but those of workloads, of
// which the page says more than one row could.
func TestTableOfAnomalies(t *testing.T) {
	const page, head, rest = "../docs/verdicts.md", "| property | anomaly | found when |\n|---|---|---|\n", "| workload |"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), head)
	at := strings.Index(after, rest)
	if !ok || at < 0 {
		t.Fatalf("%s has no table that begins with %q and goes on with %q", page, head, rest)
	}
	var table strings.Builder
	last := ""
	for _, r := range rule.Rows() {
		if r.Property == checker.Workload {
			continue
		}
		if r.About == "" {
			t.Errorf("%s: its row does not say when it is found (About)", r.Kind)
		}
		property := ""
		if r.Property != last {
			property, last = r.Property+" ", r.Property
		}
		fmt.Fprintf(&table, "| %s| `%s` | %s |\n", property, r.Kind, ofRules.ReplaceAllString(r.About, "[rules](../checker/rules.md#$1)"))
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+head+table.String()+after[at:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(strings.Split(after[:at], "\n"), strings.Split(table.String(), "\n")); d != "" {
		t.Errorf("the table of %s is not that of rule/rows.go; go test ./checker -run TestTableOfAnomalies -update writes it:\n%s", page, d)
	}
}
