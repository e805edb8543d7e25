package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
	"locktorture/nemesis"
	"locktorture/runs"
)

// plays is how often TestServersAtFault plays each case, on servers of each kind.
var plays = flag.Int("plays", 0, "times that each fault of somebody else's servers is played, on servers of every kind; 0: once, on Redis")

// An atFault is somebody else's server that is at fault while a sound lock runs on it.
type atFault struct {
	name   string                             // "none": nothing is wrong
	begin  func(t *testing.T, c theirCluster) // before the run; nil: nothing is wrong then
	strike func(t *testing.T, c theirCluster) // while it runs; nil: it is not to begin
	says   string                             // a pattern of what the user is told
	only   string                             // the topology; "": every one
}

func faultsOfServers() []atFault {
	// A busy machine makes several outages of one, of which the first three are listed.
	const others = `|and \d+ more times`
	return []atFault{
		{"none", nil, nil, `no violation in [\d,]+ grants`, ""},
		{"killed", nil, each(func(ctx context.Context, n nemesis.Restarter) error { return n.Kill(ctx) }), `could not be used from [\d.]+ s to the end \(` + others, ""},
		{"stopped", nil, stoppedFor(6 * time.Second), `could not be used from [\d.]+ s to (the end|[\d.]+ s) \((no answer|zk: could not connect to a server)\)`, ""},
		{"slow", nil, slowed, `could not be used from [\d.]+ s to (the end|[\d.]+ s) \((round trip of [\d.]+m?s|no answer)\)` + others, ""},
		{"slow-at-first", slowed, nil, `a round trip takes [\d.]+m?s, more than 250ms`, ""},
		{"replica", nil, replica, `could not be used from [\d.]+ s to the end \(read-only replica\)`, "redis"},
		{"replica-at-first", replica, nil, `server cannot be used: read-only replica`, "redis"},
		{"read-only", nil, readOnly, `could not be used from [\d.]+ s to the end \(server set to read-only\)`, "postgres"},
		{"read-only-at-first", readOnly, nil, `server cannot be used: server set to read-only`, "postgres"},
	}
}

// each does something to all nodes of a cluster that can suffer it.
func each[N any](do func(context.Context, N) error) func(t *testing.T, c theirCluster) {
	return func(t *testing.T, c theirCluster) {
		t.Helper()
		for _, n := range c.nodes {
			if err := do(t.Context(), n.(N)); err != nil {
				t.Error(err)
			}
		}
	}
}

func stoppedFor(d time.Duration) func(t *testing.T, c theirCluster) {
	return func(t *testing.T, c theirCluster) {
		t.Helper()
		each(func(ctx context.Context, n nemesis.Pauser) error { return n.Pause(ctx) })(t, c)
		time.Sleep(d)
		each(func(ctx context.Context, n nemesis.Pauser) error { return n.Resume(ctx) })(t, c)
	}
}

func slowed(t *testing.T, c theirCluster) {
	t.Helper()
	for _, l := range c.links {
		if err := l.Slow(300*time.Millisecond, 0); err != nil {
			t.Error(err)
		}
	}
}

func replica(t *testing.T, c theirCluster) {
	t.Helper()
	r := goredis.NewClient(&goredis.Options{Addr: c.nodes[0].Addr()})
	defer r.Close()
	if err := r.Do(t.Context(), "REPLICAOF", "127.0.0.1", aPort(t)).Err(); err != nil {
		t.Error(err)
	}
}

func readOnly(t *testing.T, c theirCluster) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), "postgres://postgres@"+c.nodes[0].Addr()+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	for _, statement := range []string{"ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Error(err)
		}
	}
}

// TestServersAtFault: what servers do that torture joined and did not start is blamed on no
// lock. What is wrong at first is said before the run, with exit code 2; what happens later
// makes the run unknown, and stands in its history.
func TestServersAtFault(t *testing.T) {
	t.Parallel()
	for _, on := range append(everyKind(), whoTellOfOthers()...) {
		for _, f := range faultsOfServers() {
			if f.only != "" && f.only != on.topology || *plays == 0 && on.topology != "redis" {
				continue
			}
			t.Run(on.topology+"-"+f.name, func(t *testing.T) {
				for range max(*plays, 1) {
					t.Run("play", func(t *testing.T) { f.play(t, on) }) // its servers end with it
				}
			})
		}
	}
}

// play runs a sound lock on servers that are at fault.
func (f atFault) play(t *testing.T, on othersServers) {
	t.Helper()
	c := theirServers(t, on)
	cmd := runOnTheirs(t, c, on, "--backend", on.backends[0], "--nemesis", "none", "--duration", "16s")
	if f.begin != nil {
		f.begin(t, c)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	switch {
	case f.strike != nil:
		awaitGrants(t, cmd.Dir)
		f.strike(t, c)
		endsSaying(t, cmd, exit.Unknown, f.says)
	case f.begin != nil:
		says(t, cmd, exit.BadUsage, f.says)
	default:
		busy := testenv.Watch()
		_ = cmd.Wait() // the code says it
		if why, text := busy(), outputOf(t, cmd.Dir); why != "" && (tooBusy([]byte(text)) || tooSlow([]byte(text))) {
			t.Skipf("%s, and sound servers were slow:\n%s", why, text)
		}
		endsSaying(t, cmd, exit.OK, f.says)
		if text := outputOf(t, cmd.Dir); strings.Contains(text, "could not be used") {
			t.Errorf("an outage of sound servers:\n%s", text)
		}
	}
}

// runOnTheirs is a run on those servers.
func runOnTheirs(t *testing.T, c theirCluster, on othersServers, flags ...string) *exec.Cmd {
	t.Helper()
	args := append([]string{"run", "--cluster", "external", "--endpoints", strings.Join(c.addrs, ","), "--workload", "counter"}, on.flags...)
	cmd := tortureKept(t, append(args, flags...)...)
	if on.prepare != nil {
		on.prepare(t, c.nodes[0].Addr())
		cmd.Env = append(os.Environ(), runs.UserEnv+"="+secretUser, runs.PasswordEnv+"="+secretPassword)
	}
	return cmd
}

// TestDeadLockOnTheirServers: a lock that is dead by itself is found out on servers that are in
// order.
func TestDeadLockOnTheirServers(t *testing.T) {
	t.Parallel()
	on := othersServers{topology: "redis", kind: "redis"}
	cmd := runOnTheirs(t, theirServers(t, on), on, "--backend", "redis-setnx", "--nemesis", "kill-client", "--duration", "10s")
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exit.Violated || !strings.Contains(outputOf(t, cmd.Dir), "deadlock") {
		t.Errorf("exit code %d:\n%s", code, outputOf(t, cmd.Dir))
	}
}
