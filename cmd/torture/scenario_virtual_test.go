package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/scenarios/play"
)

// virtually plays scenarios in virtual time, and returns what was printed.
func virtually(t *testing.T, dir string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = inProcess(t.Context(), append([]string{"scenario", "run", "--virtual", "--dir", dir}, args...), nil, &o, &e)
	return code, o.String(), e.String()
}

// contents returns a file of a run directory.
func contents(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every case on one Redis or on five comes to the verdict in virtual time that it has on real
// servers.
func TestScenariosInVirtualTime(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip(err) // embedded servers push from threads of their own
	}
	want := 0
	for _, n := range scenarios.All() {
		for _, c := range n.Cases {
			if play.Virtual(c) == nil {
				want++
			}
		}
	}
	code, out, errOut := virtually(t, t.TempDir(), "all", "--json", "--quiet")
	var got played
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	if code != exit.OK || len(got.Cases) != want || want < 80 {
		t.Errorf("exit code %d, %d cases of %d\n%s", code, len(got.Cases), want, errOut)
	}
	for _, c := range got.Cases {
		if c.AsExpect != 1 {
			t.Errorf("%s with %s %s: %s: %s", c.Scenario, c.Backend, c.Variant, c.Seen, c.Differs)
		}
	}
}

// A play in virtual time is the same each time, can be judged again, and says what plays it
// again; what is not simulated is refused with the reason.
func TestScenarioInVirtualTime(t *testing.T) {
	var sums []string
	for range 2 {
		dir := t.TempDir()
		if code, out, errOut := virtually(t, dir, "fence-hole", "--variant", "tokens checked on writes", "--backend", "redis-fenced"); code != exit.OK {
			t.Fatalf("exit code %d\n%s%s", code, out, errOut)
		}
		latest := filepath.Join(dir, "latest")
		sums = append(sums, contents(t, latest, "events.sum"))
		var r report.Run
		if err := json.Unmarshal([]byte(contents(t, latest, "run.json")), &r); err != nil {
			t.Fatal(err)
		}
		if r.Scenario != "fence-hole" || r.Provisioner != "simulated" || !strings.Contains(r.Reproduce, "--virtual") {
			t.Errorf("run.json: %q on %q, %q", r.Scenario, r.Provisioner, r.Reproduce)
		}
		var o, e bytes.Buffer
		if code := inProcess(t.Context(), []string{"check", latest}, nil, &o, &e); code != exit.Violated || !strings.Contains(o.String(), "stale-accepted") {
			t.Errorf("check: exit code %d\n%s%s", code, o.String(), e.String())
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two plays: %q and %q", sums[0], sums[1])
	}
	for scenario, want := range map[string]string{
		"failover": "not simulated: replicas and fail-overs (", "herd": "not simulated: zookeeper (1); zookeeper-herd (1)",
		"lock-inside-transaction": "not simulated: the servers redis-mariadb (",
	} {
		if code, _, errOut := virtually(t, t.TempDir(), scenario); code != exit.BadUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit code %d: %s", scenario, code, errOut)
		}
	}
	if code, _, errOut := virtually(t, t.TempDir(), "gc-pause", "--cluster", "process"); code != exit.BadUsage || !strings.Contains(errOut, "--virtual") {
		t.Errorf("with real servers: exit code %d: %s", code, errOut)
	}
}
