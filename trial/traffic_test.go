package trial

import (
	"os"
	"path/filepath"
	"testing"
)

// A recording that is not there, or was cut off at its begin, does not keep a report from
// being written.
func TestTrafficOfNoRecording(t *testing.T) {
	dir := &Dir{Path: t.TempDir()}
	for _, text := range []string{"", "torture w"} {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir.Path, WireFile), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		traffic, done, err := Traffic(dir, nil)
		if traffic != nil || err != nil {
			t.Fatalf("%q: traffic %v, error %v", text, traffic != nil, err)
		}
		if err := done(); err != nil {
			t.Error(err)
		}
	}
}
