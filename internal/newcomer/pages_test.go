// Package newcomer follows docs/adding-a-lock.md, adding-a-workload.md, adding-a-nemesis.md and adding-an-anomaly.md
// to the letter: what they say to write is built beside the real files, and what they say to
// run is run.
package newcomer

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are followed together: what one adds, the tests of another see.
var pages = []string{"adding-a-lock.md", "adding-a-workload.md", "adding-a-nemesis.md"}

const anomalyPage = "adding-an-anomaly.md"

// A block is one of a page's blocks of code. Its first line says in which language it is, and
// which file it makes or changes, or that it is tested.
type block struct{ page, language, about, text string }

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)(?: (\\S+))?\n(.*?)^```$")

// blocks returns the blocks of some pages.
func blocks(t *testing.T, pages []string) (all []block) {
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
			all = append(all, block{page, m[1], m[2], m[3]})
		}
	}
	return all
}

// written are the files that the blocks make or change, by path, with what then stands in
// them.
func written(t *testing.T, all []block) map[string]string {
	files := map[string]string{}
	for _, b := range all {
		path := filepath.Join(root, b.about)
		before, err := os.ReadFile(path)
		switch {
		case b.language == "go" && b.about != "":
			if err == nil {
				t.Fatalf("%s: %s is there already: the page must add a file of its own", b.page, b.about)
			}
			files[b.about] = b.text
		case b.language == "diff":
			if err != nil {
				t.Fatalf("%s: %v", b.page, err)
			}
			if _, changed := files[b.about]; !changed {
				files[b.about] = string(before)
			}
			if files[b.about], err = patched(files[b.about], b.text); err != nil {
				t.Fatalf("%s: %s: %v", b.page, b.about, err)
			}
		}
	}
	return files
}

// patched puts the lines with + after the one above them.
func patched(text, diff string) (string, error) {
	var at, more string
	for line := range strings.Lines(diff) {
		if rest, ok := strings.CutPrefix(line, "+"); ok {
			more += rest
		} else {
			at = line[1:]
		}
	}
	lines := strings.SplitAfter(text, "\n")
	i := slices.Index(lines, at)
	if i < 0 || slices.Contains(lines[i+1:], at) {
		return "", fmt.Errorf("the line %q must be there once, to say where the new ones belong", strings.TrimSpace(at))
	}
	return strings.Join(slices.Insert(lines, i+1, more), ""), nil
}

func TestPatched(t *testing.T) {
	got, err := patched("a\n\tb\nc\n", " \tb\n+\tnew\n+\tmore\n")
	if want := "a\n\tb\n\tnew\n\tmore\nc\n"; got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, at := range []string{"b", "x"} {
		if _, err := patched("b\nb\n", " "+at+"\n+new\n"); err == nil {
			t.Errorf("%q is there not once, and that was no error", at)
		}
	}
}
