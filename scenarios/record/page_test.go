package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/scenarios"
)

// TestScenarioPages compares docs/scenarios with the data that it is made of. The
// drawings differ from play to play; each page must have one.
func TestScenarioPages(t *testing.T) {
	const dir = "../../docs/scenarios"
	for _, n := range scenarios.All() {
		page, err := os.ReadFile(filepath.Join(dir, n.Name+".md"))
		if err != nil {
			t.Errorf("%v (bin/torture scenario docs docs/scenarios writes it)", err)
			continue
		}
		before, rest, ok := strings.Cut(string(page), drawingBegin)
		drawing, after, closed := strings.Cut(rest, drawingEnd)
		if !ok || !closed || !strings.HasPrefix(drawing, "sequenceDiagram\n") {
			t.Errorf("%s.md has no drawing", n.Name)
		}
		if want := Page(n, drawing); before+drawingBegin+drawing+drawingEnd+after != want {
			t.Errorf("%s.md is not what its data says (bin/torture scenario docs --text docs/scenarios)", n.Name)
		}
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil || len(pages) != len(scenarios.All()) {
		t.Errorf("%d pages for %d scenarios (%v)", len(pages), len(scenarios.All()), err)
	}
}
