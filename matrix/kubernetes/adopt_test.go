package kubernetes

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// The directory of a coordinator that was killed is lost. Another, told the name of the Job,
// goes on with it from a directory of its own: nothing is run twice.
func TestAdopt(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	f := newFake(t, func(index, _ int) end {
		if index >= 2 {
			return end{wait: held}
		}
		return end{}
	})
	f.unattended = true
	ran := make(chan int, 5)
	f.after = func(index int) { ran <- index }
	lost := config(t, 2)
	lost.Job = "nightly"
	if _, err := New(lost, f.cluster()).begin(within(t), newQueue(5).tries); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		<-ran
	}
	named := config(t, 2)
	named.Job = "nightly"
	refuse := func(name string, q *testQueue, want string) {
		t.Helper()
		err := New(named, f.cluster()).Execute(within(t), q)
		if err == nil || exit.Coded(err).(*exit.Error).Code != exit.BadUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	others := newQueue(3)
	for i := range others.tries {
		others.tries[i].Backend = "redlock"
	}
	refuse("another matrix", others, "none of the runs")
	flags := newQueue(3)
	flags.tries[1].Args = slices.Insert(flags.tries[1].Args, 0, "--careful=false")
	refuse("other flags", flags, "but here its flags are")

	q, done := newQueue(5), make(chan error, 1)
	e := New(named, f.cluster())
	go func() { done <- e.Execute(within(t), q) }()
	for range 2 {
		<-q.told
	}
	if gone, runs, err := Clean(t.Context(), f.cluster(), ns, ""); err != nil || len(gone) > 0 || !slices.Equal(runs, []string{"nightly"}) {
		t.Errorf("clean: %v are gone, %v run, %v", gone, runs, err)
	}
	<-f.watched // the fake's watch tells nothing of what was before it
	close(held)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if q.of(i).State != scorecard.Tried || f.made[i] != 1 {
			t.Errorf("%d is %q after %d pods", i, q.of(i).State, f.made[i])
		}
	}
	f.nothingLeft(e)
}

// An object that already has the name, but belongs to no matrix, must not be touched.
func TestNamed(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(int, int) end { return end{} })
	cfg := config(t, 2)
	cfg.Job = "theirs"
	e := New(cfg, f.cluster())
	j := e.job("theirs", 1, 0)
	j.Labels = nil
	if _, err := e.cluster.Jobs.Create(t.Context(), j, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute(within(t), newQueue(2)); err == nil || !strings.Contains(err.Error(), "is no matrix") {
		t.Errorf("%v", err)
	}
	if gone, runs, err := Clean(t.Context(), f.cluster(), ns, "theirs"); err != nil || len(gone)+len(runs) > 0 {
		t.Errorf("clean: %v are gone, %v run, %v", gone, runs, err)
	}
	// A round whose name is taken has the next.
	q := newQueue(2)
	r, err := e.begin(within(t), q.tries)
	if err != nil || r.Job != "theirs-2" {
		t.Fatalf("%+v, %v", r, err)
	}
	if gone, runs, err := Clean(t.Context(), f.cluster(), ns, "theirs"); err != nil || len(runs) > 0 || !slices.Equal(gone, []string{"theirs-2"}) {
		t.Errorf("clean: %v are gone, %v run, %v", gone, runs, err)
	}
	for name, ok := range map[string]bool{"nightly-2": true, "Nightly": false, "a b": false, strings.Repeat("n", 41): false} {
		if wrong := CheckName(name); (wrong == "") != ok {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// What is said of nodes that take no pod is what helps against it.
func TestRemedy(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]bool{ // requests, taints
		"0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available":                                      {true, false},
		"0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available":                      {false, true},
		"0/2 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.":     {true, true},
		"0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: 1.": {},
	} {
		got := remedy(message)
		if strings.Contains(got, "--requests") != want[0] || strings.Contains(got, "ready") != want[1] {
			t.Errorf("%s: %q", message, got)
		}
	}
}
