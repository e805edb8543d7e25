package main

import (
	"fmt"
	"strings"
	"testing"

	"locktorture/registry/config"
	"locktorture/runs"
)

// What a file has too much of is refused in a few words. That no distance is computed for what
// nobody reads is counted where names are looked for (internal/strictyaml, internal/suggest).
func TestFilesOfTooMuch(t *testing.T) {
	badKeys := func(n int, end string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "strange%d%s: 1\n", i, end)
		}
		return b.String()
	}
	for _, c := range []struct{ why, text, want string }{
		{"a second document", "seed: 1\n---\nbackend: redlock\n", "torture.yaml:2: a second document"},
		{"an empty second document", "seed: 1\n---\n", "a second document"},
		{"a second document that is wrong", "seed: 1\n---\n\t", "line 3"},
		{"a value of 20 MB", "workload: " + strings.Repeat("a", 20<<20), "larger than"},
		{"a value of 1 MB", "workload: " + strings.Repeat("a", 1_000_000), `there is no "aaa`},
		{"a key of 1 MB", strings.Repeat("a", 1_000_000) + ": 1", "mapping values are not allowed"},
		{"a name of 1 MB in a list", "nemesis: [" + strings.Repeat("a", 1_000_000) + "]", `there is no "aaa`},
		{"a driver's topology of 1 MB", "drivers: {a: {command: x, topology: " + strings.Repeat("a", 1_000_000) + "}}", `"aaa`},
		{"a command of 1 MB with an open quote", "drivers: {a: {topology: none, command: \"'" + strings.Repeat("a", 1_000_000) + "\"}}", "aaa"},
		{"20,000 bad keys", badKeys(20_000, ""), "and 19980 more"},
		{"10,000 long bad keys", badKeys(10_000, strings.Repeat("x", 80)), "and 9980 more"},
		{"bad keys of a driver", "drivers:\n  a:\n    " + strings.ReplaceAll(badKeys(10_000, ""), "\n", "\n    "), "more"},
	} {
		_, err := config.Parse(config.Name, []byte(c.text), runs.Keys())
		if err == nil {
			t.Errorf("%s: accepted", c.why)
			continue
		}
		message := wrongConfig(err).Error()
		if !strings.Contains(message, c.want) || len(message) > 50_000 {
			t.Errorf("%s: %d bytes, %.300s", c.why, len(message), message)
		}
	}
	for _, text := range []string{"seed: 1\n", "---\nseed: 1\n...\n", "# nothing\n", "seed: 1\n# the end\n"} {
		if _, err := config.Parse(config.Name, []byte(text), runs.Keys()); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
