package linear_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

// recorded is where porcupine keeps its recorded histories.
func recorded(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine").Output()
	if err != nil {
		t.Fatalf("find porcupine's module: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test_data")
}

// etcdValid are the histories of Jepsen's etcd test that are linearizable, by
// porcupine's own tests. They leave out number 95, in which etcd did not start.
var etcdValid = map[int]bool{
	2: true, 5: true, 7: true, 18: true, 25: true, 31: true, 38: true, 45: true, 48: true, 49: true, 51: true, 53: true, 56: true,
	67: true, 75: true, 76: true, 80: true, 87: true, 92: true, 98: true, 100: true, 101: true, 102: true,
}

// etcdLine is a line of Jepsen's log: process, type, function, value.
var etcdLine = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(invoke|ok|fail|info)\s+:(read|write|cas)\s+(.*)$`)

// etcdHistory turns a log into the EDN that Jepsen writes today, so that the
// reader is tested too.
func etcdHistory(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		m := etcdLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		if m[4] == ":timed-out" {
			m[4] = "nil, :error :timed-out"
		}
		fmt.Fprintf(&b, "{:process %s, :type :%s, :f :%s, :value %s}\n", m[1], m[2], m[3], m[4])
	}
	return b.String()
}

// TestRecordedEtcd judges the histories that Jepsen recorded from etcd.
func TestRecordedEtcd(t *testing.T) {
	dir := recorded(t)
	seen := 0
	for n := range 103 {
		name := filepath.Join(dir, "jepsen", fmt.Sprintf("etcd_%03d.log", n))
		if _, err := os.Stat(name); err != nil || n == 95 {
			continue
		}
		seen++
		// A failed cas of these logs found another value: they have no other failures.
		h, err := jepsen.Read(strings.NewReader(etcdHistory(t, name)), jepsen.Options{FailedCAS: true})
		if err != nil {
			t.Errorf("%d: %v", n, err)
			continue
		}
		want := linear.Invalid
		if etcdValid[n] {
			want = linear.Valid
		}
		for _, engine := range []string{"", "search"} {
			if v := linear.Check(h.Objects[0].Operations, "register", linear.Options{Engine: engine}); v.Outcome != want {
				t.Errorf("%d by %q: %v (%s %s), want %v", n, engine, v.Outcome, v.Reason, v.Explanation, want)
			}
		}
	}
	if seen != 102 {
		t.Errorf("%d recorded histories, not 102", seen)
	}
}

// TestRecordedKV judges the recorded histories of a key-value store with
// get, put and append, key by key.
func TestRecordedKV(t *testing.T) {
	key := regexp.MustCompile(`, :key "([^"]*)"`)
	for _, c := range []struct {
		name string
		want linear.Outcome
	}{
		{"c01-ok", linear.Valid}, {"c01-bad", linear.Invalid},
		{"c10-ok", linear.Valid}, {"c10-bad", linear.Invalid},
		{"c50-ok", linear.Valid}, {"c50-bad", linear.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(recorded(t), "kv", c.name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*strings.Builder{}
			n := 0
			for line := range strings.Lines(string(text)) {
				m := key.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				if parts[m[1]] == nil {
					parts[m[1]] = &strings.Builder{}
				}
				n++
				parts[m[1]].WriteString(strings.Replace(line, "{", fmt.Sprintf("{:time %d, ", n), 1))
			}
			got, open := linear.Valid, ""
			// A history is invalid if one of its keys is, whatever the others
			// are: so first a quick look at each.
			for _, timeout := range []time.Duration{100 * time.Millisecond, time.Minute} {
				open = ""
				for k, part := range parts {
					h, err := jepsen.Read(strings.NewReader(part.String()), jepsen.Options{})
					if err != nil {
						t.Fatal(err)
					}
					switch v := linear.Check(h.Objects[0].Operations, "register", linear.Options{Timeout: timeout}); v.Outcome {
					case linear.Invalid:
						got = linear.Invalid
					case linear.Unknown:
						open = fmt.Sprintf("key %s: %s", k, v.Reason)
					}
				}
				if got == linear.Invalid || open == "" {
					break
				}
			}
			if got == linear.Valid && open != "" {
				t.Error(open)
			}
			if got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
