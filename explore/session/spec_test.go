package session

import (
	"context"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"locktorture/registry"
)

// flags are those of a command that was called with some arguments.
type flags struct{ set *pflag.FlagSet }

func (f flags) Context() context.Context { return context.Background() }
func (f flags) Flags() *pflag.FlagSet    { return f.set }
func (f flags) OutOrStdout() io.Writer   { return io.Discard }
func (f flags) ErrOrStderr() io.Writer   { return io.Discard }

// A search is bounded by trials, so that a busy machine only makes it slower. Only who asks for a
// time alone has one that ends by the clock.
func TestTrialsBoundASearch(t *testing.T) {
	for _, c := range []struct {
		args   []string
		trials int
		budget time.Duration
	}{
		{nil, 1000, 10 * time.Minute},
		{[]string{"--trials", "20"}, 20, 10 * time.Minute},
		{[]string{"--trials", "20", "--budget", "1m"}, 20, time.Minute},
		{[]string{"--budget", "1m"}, 0, time.Minute},
	} {
		s, cmd := Explore{}, flags{pflag.NewFlagSet("explore", pflag.ContinueOnError)}
		s.Register(cmd.set)
		if err := cmd.set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		s.Backend = "redis-set"
		if _, err := s.order(cmd, registry.Locks()); err != nil {
			t.Fatal(err)
		}
		if s.Trials != c.trials || s.Budget != c.budget {
			t.Errorf("%v: %d trials in %s, want %d in %s", c.args, s.Trials, s.Budget, c.trials, c.budget)
		}
	}
}

// Every lock on etcd or NATS can be simulated, and no other lock on a cluster.
func TestLocksOnClusters(t *testing.T) {
	for name, b := range registry.Locks() {
		want := b.Topology == "etcd-3" && b.Program == "" || b.Program == "nats"
		if got := onCluster(name) != nil; got != want {
			t.Errorf("%s can be simulated on its cluster: %v, want %v", name, got, want)
		}
		unseen := slices.Contains([]string{"etcd-rw", "etcd-barrier", "etcd-double-barrier"}, name) // their keys are not those of a lock
		if got := (Virtual{Backend: name}).order().Looked(); want && got == unseen {
			t.Errorf("the servers of %s are probed: %v", name, got)
		}
	}
}

// A release is one of the servers of the lock.
func TestRelease(t *testing.T) {
	for _, c := range []struct{ backend, server, release string }{
		{"etcd", "etcd@v3.5.5", "v3.5.5"},
		{"nats", "nats@v2.12.1", "v2.12.1"},
		{"nats", "etcd@v3.5.5", ""},
		{"etcd", "etcd@3.5.5", ""},
		{"redis-set", "redis@v7.0.0", ""},
	} {
		s := Virtual{
			Backend: c.backend, Server: c.server, Workload: "counter", Clients: 1, Locks: 1, Keys: 1, Duration: time.Second, TTL: time.Second,
		}
		if err := s.Check(); s.release() != c.release || (err == nil) != (c.release != "") {
			t.Errorf("%s on %s: release %q, %v", c.backend, c.server, s.release(), err)
		}
	}
}

// Without a flag, each lock gets a workload that it can do, also a mutant.
func TestUsualWorkload(t *testing.T) {
	all := registry.Mutants()
	maps.Copy(all, registry.Locks())
	for name, b := range all {
		work := Virtual{Backend: name}.completed().Workload
		if why := registry.Workloads()[work].Cannot(b.Traits); b.Program == "" && why != "" {
			t.Errorf("%s: %s: %s", name, work, why)
		}
	}
}
