package ledger

import (
	"bytes"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/timeline"
)

// TestChangedApp edits one file at a time, and looks for which apps results are stale.
func TestChangedApp(t *testing.T) {
	tree := checkout(t)
	of := func(app, faults string) Sums {
		s, err := tree.Of(App, registry.Backend{Name: app}, faults)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		path        string
		app, faults string
		want        string
	}{
		{"apps/knex/app.yaml", "knex", "latency", "the lock"},
		{"apps/knex/package-lock.json", "knex", "latency", "the lock"},
		{"apps/prepare", "knex", "latency", "the lock"},
		{"apps/knex/app.yaml", "goose", "pause", ""},
		{"apps/control/go/main.go", "fenced-go", "pause", "the lock"},
		{"apps/control/go/main.go", "fenced-python", "pause", ""},
		{"apps/control/python/worker.py", "fenced-python", "pause", "the lock"},
		{"cluster/server/redis.go", "fenced-go", "pause", "the lock"},
		{"cluster/server/redis.go", "knex", "latency", ""},
		{"nemesis/pause.go", "goose", "pause", "the fault"},
		{"nemesis/pause.go", "knex", "latency", ""},
		{"app/act.go", "knex", "latency", "the checker"},
		{"checker/app/judge.go", "knex", "latency", "the checker"},
		{"wire/postgres/decoder.go", "knex", "latency", "the checker"},
		{"locks/redis/set.go", "fenced-go", "pause", ""},
	} {
		f, err := tree.read(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		was := of(tt.app, tt.faults)
		edited := append(bytes.Clone(f.text), "\n# added\n"...)
		if strings.HasSuffix(tt.path, ".go") {
			edited = more(bytes.Clone(f.text))
		}
		tree.files[tt.path] = newFile(tt.path, edited)
		if got := strings.Join(was.Changed(of(tt.app, tt.faults)), ", "); got != tt.want {
			t.Errorf("%s, %s under %s: %q has changed, want %q", tt.path, tt.app, tt.faults, got, tt.want)
		}
		tree.files[tt.path] = f
	}
	if s := of("no-such-app", "pause"); s != (Sums{}) {
		t.Errorf("an app that is gone has the sums %v", s)
	}
}

// TestAppLine: the line of an app has its faults, but neither its path nor a workload.
func TestAppLine(t *testing.T) {
	l, err := Of(report.Run{
		Backend: "knex", Workload: "app", Nemeses: []string{"pause", "latency"}, Seed: 7,
		Options:   timeline.Options{Kind: timeline.AppKind},
		Reproduce: "torture app apps/knex --replicas 3 --nemesis latency,pause --duration 1m0s --seed 7 --cluster auto",
	}, checker.Result{Grade: checker.Safe})
	if err != nil || l.Subject() != (Subject{Kind: App, Lock: "knex", Fault: "latency+pause", Flags: "--replicas 3"}) || l.Asked != "1m0s" {
		t.Errorf("%+v asked for %q: %v", l.Subject(), l.Asked, err)
	}
}
