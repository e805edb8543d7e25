package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"locktorture/app"
	"locktorture/checker"
)

// TestTraced: replicas without a lock are found by their spans; of one that was killed nobody knows
// what it was at.
func TestTraced(t *testing.T) {
	t.Parallel()
	f := file(t, "traced", "")
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for promise, want := range map[string]checker.Grade{"one_at_a_time": checker.Unsafe, "once_per_key": checker.Unknown} {
		seen := strings.Replace(string(text), "promises: {one_at_a_time: true}", `seen: {span: '^pay (?P<key>\S+)'}, promises: {`+promise+": true}", 1)
		if err := os.WriteFile(f.Path, []byte(seen), 0o644); err != nil {
			t.Fatal(err)
		}
		if f, err = app.Read(f.Path); err != nil {
			t.Fatal(err)
		}
		// The clock of a process is known up to the time that its start takes, which is longer than a
		// short span while the machine is busy.
		length := inSpan
		f.Env = append(f.Env, app.Variable{Name: spanFor, Value: length.String()})
		o := tortureUntil(t, f, func(r checker.Result) bool {
			length *= 2
			f.Env[len(f.Env)-1].Value = length.String()
			return r.Grade == want
		}, "kill")
		r := o.Result
		if o.Failure != nil || r.Grade != want || r.Counts.Grants < 5 {
			t.Errorf("%s: %d runs, %s, failure %v", promise, r.Counts.Grants, r.Sentence, o.Failure)
		}
	}
}

// TestClientClock: the wall clock of a replica jumps, and nothing is claimed of what its spans say.
func TestClientClock(t *testing.T) {
	t.Parallel()
	f := file(t, "traced clock", "")
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	seen := strings.Replace(string(text), "promises:", `seen: {span: '^pay (?P<key>\S+)'}, promises:`, 1)
	if err := os.WriteFile(f.Path, []byte(seen), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err = app.Read(f.Path); err != nil {
		t.Fatal(err)
	}
	o, err := torture(t.Context(), t, f, "client-clock")
	if err != nil {
		t.Fatal(err)
	}
	r := o.Result
	if o.Failure != nil || r.Grade != checker.Unknown || len(r.Faults) != 1 || r.Faults[0].Injected == 0 {
		t.Errorf("%s: %s, %+v, failure %v", r.Grade, r.Sentence, r.Faults, o.Failure)
	}
	var said []byte
	for n := range f.Replicas {
		log, err := os.ReadFile(o.Dir.File(fmt.Sprintf("client-%d.log", n+1)))
		if err != nil {
			t.Error(err)
		}
		said = append(said, log...)
	}
	if n := strings.Count(string(said), "jumped by"); n < r.Faults[0].Injected {
		t.Errorf("%d faults, and the clocks of replicas jumped %d times", r.Faults[0].Injected, n)
	}
}
