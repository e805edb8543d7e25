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

// judgeEtcd judges the log with a number. A failed cas of these logs found
// another value: they have no other failures.
func judgeEtcd(t *testing.T, n int, engine string) linear.Verdict {
	t.Helper()
	name := filepath.Join(recorded(t), "jepsen", fmt.Sprintf("etcd_%03d.log", n))
	h, err := jepsen.Read(strings.NewReader(etcdHistory(t, name)), jepsen.Options{FailedCAS: true})
	if err != nil {
		return linear.Verdict{Reason: err.Error()}
	}
	return linear.Check(h.Objects[0].Operations, "register", linear.Options{Engine: engine})
}

// etcdNumbers lists the numbers of the logs that contain a test.
func etcdNumbers(t *testing.T) (all []int) {
	t.Helper()
	for n := range 103 {
		if _, err := os.Stat(filepath.Join(recorded(t), "jepsen", fmt.Sprintf("etcd_%03d.log", n))); err == nil && n != 95 {
			all = append(all, n)
		}
	}
	return all
}

func etcdOutcome(n int) linear.Outcome {
	if etcdValid[n] {
		return linear.Valid
	}
	return linear.Invalid
}

// TestRecordedEtcd judges the histories that Jepsen recorded from etcd.
func TestRecordedEtcd(t *testing.T) {
	all := etcdNumbers(t)
	for _, n := range all {
		for _, engine := range []string{"", "search"} {
			if v := judgeEtcd(t, n, engine); v.Outcome != etcdOutcome(n) {
				t.Errorf("%d by %q: %v (%s %s), want %v", n, engine, v.Outcome, v.Reason, v.Explanation, etcdOutcome(n))
			}
		}
	}
	if len(all) != 102 {
		t.Errorf("%d recorded histories, not 102", len(all))
	}
}

// kvKnown are the recorded histories of a key-value store with get, put and
// append.
var kvKnown = map[string]linear.Outcome{
	"c01-ok": linear.Valid, "c01-bad": linear.Invalid,
	"c10-ok": linear.Valid, "c10-bad": linear.Invalid,
	"c50-ok": linear.Valid, "c50-bad": linear.Invalid,
}

// TestRecordedKV judges them, key by key.
func TestRecordedKV(t *testing.T) {
	for name, want := range kvKnown {
		t.Run(name, func(t *testing.T) {
			if got, why := judgeKV(t, name); got != want {
				t.Errorf("%v %s, want %v", got, why, want)
			}
		})
	}
}

var kvKey = regexp.MustCompile(`, :key "([^"]*)"`)

func judgeKV(t *testing.T, name string) (got linear.Outcome, why string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recorded(t), "kv", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]*strings.Builder{}
	for line := range strings.Lines(string(text)) {
		m := kvKey.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if parts[m[1]] == nil {
			parts[m[1]] = &strings.Builder{}
		}
		parts[m[1]].WriteString(line)
	}
	// A history is invalid if one of its keys is, whatever the others are: so
	// first a quick look at each.
	for _, timeout := range []time.Duration{100 * time.Millisecond, time.Minute} {
		why = ""
		for k, part := range parts {
			h, err := jepsen.Read(strings.NewReader(part.String()), jepsen.Options{})
			if err != nil {
				t.Fatal(err)
			}
			switch v := linear.Check(h.Objects[0].Operations, "register", linear.Options{Timeout: timeout}); v.Outcome {
			case linear.Invalid:
				return linear.Invalid, v.Explanation
			case linear.Unknown:
				why = fmt.Sprintf("key %s: %s", k, v.Reason)
			}
		}
		if why == "" {
			return linear.Valid, ""
		}
	}
	return linear.Unknown, why
}
