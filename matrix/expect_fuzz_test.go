package matrix

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/registry"
)

// Only one document is read.
func TestSecondDocument(t *testing.T) {
	if _, err := ParseExpectations("e.yaml", []byte("none: {pause: unsafe}\n---\nlocal: {none: safe}\n"), []string{"local", "none"}); err == nil || !strings.Contains(err.Error(), "e.yaml:2: a second document") {
		t.Errorf("a second document of expectations: %v", err)
	}
}

// FuzzExpectations reads anything without panic; every cell that it accepts says something
// that a run can be compared with.
func FuzzExpectations(f *testing.F) {
	if real, err := os.ReadFile(filepath.FromSlash("../results/expected.yaml")); err == nil {
		f.Add(real[:min(len(real), 4<<10)])
	}
	for _, text := range []string{
		"local: {none: safe}", "redlock: {pause: unsafe+double-grant, clock: n/a}", "local: {none: {any: [safe, fenced], why: x}}",
		"local: {none: {counter: safe, seckill: {unjudged: because}}}", "local: {none: &a {counter: *a}}", "---\n---", "local: {none: {any: [[safe]], why: 1}}",
	} {
		f.Add([]byte(text))
	}
	names := slices.Collect(maps.Keys(registry.Locks()))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := ParseExpectations("e.yaml", text, names)
		if err != nil {
			return
		}
		for backend, cells := range e {
			for nemesis, c := range cells {
				said := slices.Collect(maps.Values(c.byWorkload))
				if len(c.byWorkload) == 0 {
					said = append(said, c.text)
				}
				for _, text := range said {
					for _, one := range strings.Split(text, orElse) {
						if one == notPossible || one == notJudged {
							continue
						}
						if _, err := checker.ParseExpectation(one); err != nil {
							t.Errorf("%s, %s: %q of %q: %v", backend, nemesis, one, text, err)
						}
					}
				}
			}
		}
	})
}
