package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locktorture/app"
	"locktorture/checker"
)

// TestClients: the clients of examples/app tell of runs. A worker without a lock is found by what
// they say, and one with a lock is not flagged.
func TestClients(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("testdata/clients")
	if err != nil {
		t.Fatal(err)
	}
	built := t.TempDir()
	for _, c := range []struct {
		needs   string
		build   []string
		command []string
	}{
		{"go", []string{"go", "build", "-C", filepath.Join(here, "go"), "-o", filepath.Join(built, "worker"), "."}, []string{filepath.Join(built, "worker")}},
		{"python3", nil, []string{"python3", filepath.Join(here, "worker.py")}},
		{"node", nil, []string{"node", filepath.Join(here, "worker.mjs")}},
		{
			"javac", []string{"javac", "-d", built, filepath.Join(here, "Worker.java"), filepath.Join(here, "../../../examples/app/Torture.java")},
			[]string{"java", "-XX:TieredStopAtLevel=1", "-cp", built, "Worker"},
		},
	} {
		t.Run(c.needs, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.needs); err != nil {
				t.Skip(err)
			}
			if c.build != nil {
				if out, err := exec.Command(c.build[0], c.build[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			t.Run("locked", func(t *testing.T) { client(t, c.command, "locked", checker.Safe) })
			t.Run("unlocked", func(t *testing.T) { client(t, c.command, "unlocked", checker.Unsafe) })
		})
	}
}

// client runs workers and compares the verdict.
func client(t *testing.T, command []string, how string, want checker.Grade) {
	t.Parallel()
	words, err := json.Marshal(slices.Concat(command, []string{how, filepath.Join(t.TempDir(), "lock")}))
	if err != nil {
		t.Fatal(err)
	}
	f := written(t, fmt.Sprintf(`command: %s
ready: {line: at work}
jobs: {payout: {promises: {one_at_a_time: true}}}
ttl: 500ms
duration: 4s
limits: {ready: 5m, stop: 300ms}
`, words))
	o, err := torture(t.Context(), t, f)
	if err != nil {
		t.Fatal(err)
	}
	if o.Failure != nil || o.Result.Grade != want || o.Result.Counts.Grants < 3 {
		t.Errorf("%d runs: %s, failure %v", o.Result.Counts.Grants, o.Result.Sentence, o.Failure)
	}
}

// written reads an app.yaml of a text.
func written(t *testing.T, text string) *app.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), app.FileName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := app.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestLiveness: a key that a load asks for and that is taken and never done is lost. A replica
// that stops to work is stuck. Where all is done, nothing is flagged.
func TestLiveness(t *testing.T) {
	t.Parallel()
	load := "load: {command: [sh, -c, 'i=0; while true; do i=$((i+1)); echo queued $i; echo $i >>$QUEUE; sleep 0.1; done'], asked: {payout: 'queued (?P<key>\\d+)'}}\n"
	// It takes the lines of the queue, one by one. The broken one never does the fifth; the hung one stops there.
	work := `n=0; while true; do if [ $(wc -l <$QUEUE) -gt $n ]; then n=$((n+1)); [ $n -eq 5 ] && %s; echo "begin $n"; echo "end $n"; else sleep 0.02; fi; done`
	for _, c := range []struct {
		name, fifth, found string
		within             int // s; a busy machine may begin nothing for two
	}{
		{"all done", "true", "", 4},
		{"one lost", "continue", "lost", 4},
		{"hung", "sleep 1000", "stuck", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			queue := filepath.Join(t.TempDir(), "queue")
			if err := os.WriteFile(queue, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			f := written(t, strings.ReplaceAll(fmt.Sprintf(`command: [sh, -c, '%s']
replicas: 1
env: {QUEUE: %q}
`, fmt.Sprintf(work, c.fifth), queue)+load+fmt.Sprintf(`jobs:
  payout:
    seen: {begin: {line: '^begin (?P<key>\d+)'}, end: {line: '^end (?P<key>\d+)'}}
    promises: {none_lost: true, again_within: %ds}
ttl: 500ms
duration: 4s
limits: {stop: 300ms}
`, c.within), "\t", ""))
			o, err := torture(t.Context(), t, f)
			if err != nil {
				t.Fatal(err)
			}
			found := o.Result.Counts.Anomalies
			if o.Failure != nil || found["lost"] > 0 != (c.found != "") || found["stuck"] > 0 != (c.found == "stuck") || o.Result.Failed != (c.found != "") {
				t.Errorf("%v: %s, failure %v", found, o.Result.Sentence, o.Failure)
			}
			if c.found == "lost" && found["lost"] != 1 {
				t.Errorf("%d keys are lost, of which one was left out", found["lost"])
			}
		})
	}
}
