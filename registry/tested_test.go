package registry_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/registry"
	"locktorture/workloads"
)

// source returns what stands in the files of a pattern, seen from here.
func source(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no such files, %v", pattern, err)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// conformsIn are the tests of locks that are no rows of a table.
var conformsIn = map[string]string{
	"none": "TestNone", "process-local": "TestProcessLocal", "local": "TestLocal",
	"local-rw": "TestLocalShared", "local-semaphore": "TestLocalShared", "none-rw": "TestNoneShared", "none-semaphore": "TestNoneShared",
	"local-election": "TestLocalShared", "none-election": "TestNoneShared",
	"local-latch": "TestLocalMeetings", "local-barrier": "TestLocalMeetings", "none-latch": "TestLocalMeetings", "none-barrier": "TestLocalMeetings",
	"mysql-quorum": "TestMySQLQuorum", "mysql-failover": "TestMySQLFailover", "redis-mysql": "TestRedisMySQL", "pgbouncer-advisory": "TestPgBouncerAdvisory",
}

// TestEveryLockConforms fails for a lock that the conformance tests do not know.
func TestEveryLockConforms(t *testing.T) {
	tests := source(t, "../locks/locktest/*_test.go")
	for name := range registry.Locks() {
		want := fmt.Sprintf("%q", name)
		if test, ok := conformsIn[name]; ok {
			want = "func " + test + "("
		}
		if !strings.Contains(tests, want) {
			t.Errorf("%s has no conformance test: add a row with its name, its traits and how it is opened to the test of its family "+
				"in locks/locktest (for Redis TestRedisFamily in redisfamily_test.go), then: go test ./locks/locktest -run /%s", name, name)
		}
	}
}

// TestEveryWorkloadIsTried fails for a workload whose sections no test runs one after another,
// cut, and at the same time.
func TestEveryWorkloadIsTried(t *testing.T) {
	tests := source(t, "../workloads/workload_test.go")
	for name, w := range registry.Workloads() {
		if name == "register" {
			continue // its plain writes break nothing that a store could show
		}
		if w.Kind != "" { // its sections need not exclude each other
			made := strings.TrimPrefix(fmt.Sprintf("%T", w.New(workloads.Config{})), "workloads.")
			if of := source(t, "../workloads/*_test.go"); !strings.Contains(of, "workloads."+made+"{") && !strings.Contains(of, "workloads.New"+made+"(") {
				t.Errorf("%s has no test: add one of what its sections ask for and do beside workloads/claims_test.go", name)
			}
			continue
		}
		if !strings.Contains(tests, fmt.Sprintf("{%q, %T{", name, w.New(workloads.Config{}))) {
			t.Errorf("%s is in no trial: add {%q, %T{Config: config}, breaks, invariant} to trials in workloads/workload_test.go, "+
				"with its invariant told once more", name, name, w.New(workloads.Config{}))
		}
	}
}

// TestEveryInvariantIsJudged fails for an invariant that no hand-written history is held
// against.
func TestEveryInvariantIsJudged(t *testing.T) {
	tests := source(t, "../checker/invariant/*_test.go")
	for name, w := range registry.Workloads() {
		if !strings.Contains(tests, fmt.Sprintf("%T{", w.Invariant)) {
			t.Errorf("%s: no history is held against %T: add a test with judge(t, %T{}, unit, rows) to checker/invariant, "+
				"with rows that are sound, broken and cut off (uses_test.go shows some)", name, w.Invariant, w.Invariant)
		}
	}
}

// TestDefaultTimes: a workload that is told nothing holds its lock for 2 to 5 ms and lets its
// clients rest for 1 ms.
func TestDefaultTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, w := range registry.Workloads() {
		for range 100 {
			s := w.New(workloads.Config{}).Next(r, 1)
			if len(s.Locks) == 0 || s.Hold < 2*time.Millisecond || s.Hold > 5*time.Millisecond || s.Think != time.Millisecond {
				t.Errorf("%s without settings: locks %q, hold %v, think %v; draw them with Config.section (or Config.times)", name, s.Locks, s.Hold, s.Think)
				break
			}
		}
	}
}
