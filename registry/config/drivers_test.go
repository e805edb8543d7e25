package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/registry"
)

// keys returns the keys of a command that takes a driver.
func keys() []Key {
	good := func(string) error { return nil }
	return []Key{{Name: "driver", Kind: "string", Parse: good, Check: good}}
}

func TestReadDrivers(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown section", "images_:\n  x: 1\n", `:1: unknown key "images_"; did you mean images?`},
		{"mapping for a flag", "driver:\n  x: 1\n", `:2: a plain value is needed here`},
		{"unknown key", "drivers:\n  a:\n    comand: x\n    topology: redis\n", `:3: unknown key "comand"; did you mean command?`},
		{"nothing near", "drivers:\n  a:\n    zzzzzz: x\n", `:3: unknown key "zzzzzz"; there are about, command`},
		{"twice", "drivers:\n  a:\n    command: x\n    command: y\n", `"command"`},
		{"no command", "drivers:\n  a:\n    topology: redis\n", `:2: driver a has no command`},
		{"no topology", "drivers:\n  a:\n    command: x\n", `:2: driver a has no topology; there are`},
		{"unknown topology", "drivers:\n  a:\n    command: x\n    topology: reddis\n", `:4: no topology is called "reddis"; did you mean redis?`},
		{"open quote", "drivers:\n  a:\n    command: x 'y\n    topology: redis\n", `:3: "x 'y"`},
		{"unknown kind", "drivers:\n  a:\n    command: x\n    topology: redis\n    kind: semaphor\n", `:5: no kind is called "semaphor"; there are rw, semaphore, latch, barrier, election`},
		{"no duration", "drivers:\n  a:\n    command: x\n    topology: redis\n    least-ttl: 2\n", `:5: a duration is needed here`},
		{"no mapping", "drivers: 7\n", `:1: a mapping is needed here`},
		{"no YAML", "drivers:\n\t- x\n", `line 2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), Name)
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(path, keys()); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), Name) {
				t.Errorf("%v, want an error that says %s", err, tt.want)
			}
		})
	}
}

func TestReadDriversOfAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	text := "drivers:\n  a:\n    command: run 'two words'\n    topology: redis\n    options: {x: 10}\n    needs: [sh, there]\n    kind: rw\n    least-ttl: 2s\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := ReadFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Drivers
	want := map[string]registry.DriverEntry{"a": {
		About: "a driver of torture.yaml", Command: []string{"run", "two words"}, Topology: "redis",
		Options: map[string]string{"x": "10"}, Needs: []string{"sh", "there"}, Kind: "rw", LeastTTL: 2 * time.Second, Dir: dir,
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if m := got["a"].Missing(); m != "there" {
		t.Errorf("missing %q, want there", m)
	}
	if none, err := ReadFile(filepath.Join(dir, "no such file"), nil); err != nil || len(none.Drivers) > 0 {
		t.Errorf("a file that is not there: %v, %v", none, err)
	}
}
