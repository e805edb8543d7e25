package matrix

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"locktorture/report/scorecard"
)

// Whatever end a trend has, what is appended can be read, and so can all whole lines before it.
func TestAppendToTrend(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"no file yet":              {"", []string{"new"}},
		"whole lines":              {`{"backend":"a"}` + "\n", []string{"a", "new"}},
		"the last line is cut off": {`{"backend":"a"}` + "\n" + `{"backend":"b`, []string{"a", "new"}},
		"the only line is cut off": {`{"backend":"b`, []string{"new"}},
		"the last line has no end": {`{"backend":"a"}` + "\n" + `{"backend":"b"}`, []string{"a", "b", "new"}},
	} {
		path := filepath.Join(t.TempDir(), "trend.jsonl")
		if tt.text != "" {
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := addTrend(path, scorecard.Point{Backend: "new"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		points, err := readTrend(path)
		var got []string
		for _, p := range points {
			got = append(got, p.Backend)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
}
