package strictyaml

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestUnknownKeys: all are told, and for the first of them what was meant; a file of nothing
// else must not cost the distance of each of its keys to each name.
func TestUnknownKeys(t *testing.T) {
	const n = 20_000
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "workload%d: 1\n", i)
	}
	doc, err := Parse("a.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	err = Reader{"a.yaml"}.Each(doc, []string{"workload", "backend"}, func(key, _ *yaml.Node) error {
		t.Errorf("%s was read", key.Value)
		return nil
	})
	got := err.Error()
	if all, meant := strings.Count(got, "unknown key"), strings.Count(got, "did you mean workload?"); all != n || meant == 0 || meant > explained {
		t.Errorf("%d unknown keys were told, %d of them with the one that was meant; want %d and at most %d", all, meant, n, explained)
	}
	if last := fmt.Sprintf("a.yaml:%d: unknown key \"workload%d\"", n, n-1); !strings.HasSuffix(got, last) {
		t.Errorf("the last is %q, want %q", got[len(got)-60:], last)
	}
}
