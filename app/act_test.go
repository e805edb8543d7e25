package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/app"
	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/locks/driver"
	"locktorture/trial"
)

// Variables of the replicas: the first makes this program one, and says which; the second has the name of the test.
const (
	asReplica = "TORTURE_TEST_REPLICA"
	ofTest    = "TORTURE_TEST_NAME"
)

func TestMain(m *testing.M) {
	if how := os.Getenv(asReplica); how != "" {
		os.Exit(replica(how))
	}
	os.Exit(m.Run())
}

// file writes an app.yaml, and what more it says.
func file(t *testing.T, how, more string) *app.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), app.FileName)
	text := fmt.Sprintf(`app: test
command: [%q]
env: {%s: %q, %s: %q, REDIS: "${redis}"}
servers: {redis: redis}
ready: {line: listening}
jobs: {payout: {promises: {one_at_a_time: true}}}
ttl: 500ms
duration: 3s
`, os.Args[0], asReplica, how, ofTest, t.Name()) + more
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := app.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// torture runs an app on real servers.
func torture(ctx context.Context, t *testing.T, f *app.File, faults ...string) (*trial.Outcome, error) {
	t.Helper()
	act := app.New(f, 1, append([]string{}, faults...))
	o, err := trial.Run(ctx, trial.Config{
		Base: t.TempDir(), Called: "test", Act: act, Clients: f.Replicas, TTL: f.TTL,
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) {
			c, why, err := act.Start(func(s app.Server, links int) (*cluster.Cluster, string, error) {
				if s.Topology == app.PlainHTTP {
					c, err := s.Adopt(links)
					return c, s.Name, err
				}
				c, err := cluster.StartConfig(ctx, cluster.Config{Topology: s.Topology, Provisioner: clustertest.Servers("../bin/servers"), Clients: links, Dir: d.Path})
				return c, s.Topology, err
			})
			if err != nil {
				return trial.Servers{}, err
			}
			return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
		},
		Meet:    func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error) { return act.Lock(), nil },
		Options: checker.Options{Jobs: f.Promises(), MinGrants: 1}, Wire: 32 << 20,
	})
	if err == nil {
		t.Cleanup(func() {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return o, err
}

// tortureUntil repeats a run until its result is as it must be, at most four times, each twice as long:
// on a busy machine all faults of a run may miss the moments at which a replica is wrong.
func tortureUntil(t *testing.T, f *app.File, done func(checker.Result) bool, faults ...string) (o *trial.Outcome) {
	t.Helper()
	for n := range 4 {
		var err error
		if o, err = torture(t.Context(), t, f, faults...); err != nil {
			t.Fatal(err)
		}
		t.Logf("run %d: %s: %s", n+1, o.Result.Grade, o.Result.Sentence)
		if o.Failure != nil || done(o.Result) {
			break
		}
		f.Duration *= 2
	}
	return o
}

// TestReplicas: replicas without a lock are found, replicas with one are not flagged, and a
// history is judged again as it was.
func TestReplicas(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]checker.Grade{"unlocked": checker.Unsafe, "locked": checker.Safe} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			o, err := torture(t.Context(), t, file(t, how, ""), "latency")
			if err != nil {
				t.Fatal(err)
			}
			if o.Failure != nil || o.Result.Grade != want {
				t.Errorf("%s: %s, failure %v", o.Result.Grade, o.Result.Sentence, o.Failure)
			}
			if err := o.Write(); err != nil {
				t.Error(err)
			}
			_, again, _, err := trial.Again(o.Dir.Path, "", func(string) checker.Invariant { return nil })
			if err != nil || again.Sentence != o.Result.Sentence {
				t.Errorf("again: %s, %v", again.Sentence, err)
			}
		})
	}
}

// TestLeads: replicas that both say that they lead are found, and those of which one has a lease are not.
func TestLeads(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]checker.Grade{"always": checker.Unsafe, "by lease": checker.Safe} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			f := file(t, "leads "+how, "")
			text, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			seen := strings.Replace(string(text), "promises: {", `seen: {while: {http: "http://127.0.0.1:${PORT}/leader", status: 200, term: 1s}}, promises: {again_within: 5s, `, 1)
			f = written(t, seen)
			o, err := torture(t.Context(), t, f)
			if err != nil {
				t.Fatal(err)
			}
			if found := o.Result.Counts.Anomalies["two-leaders"]; o.Failure != nil || o.Result.Grade != want || (found > 0) != (want == checker.Unsafe) || o.Result.Counts.Grants < 2 {
				t.Errorf("%s, %d runs, %d found: %s, failure %v", o.Result.Grade, o.Result.Counts.Grants, found, o.Result.Sentence, o.Failure)
			}
		})
	}
}

// TestGoesRound: a replica that connects to a server by an address that it was not given is
// noticed, and a fault of its links proves nothing. Where none was to strike, that does no harm.
func TestGoesRound(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]checker.Grade{"partition": checker.Unknown, "latency": checker.Unknown, "": checker.Safe} {
		t.Run("faults "+fault, func(t *testing.T) {
			t.Parallel()
			o, err := torture(t.Context(), t, file(t, "goes round", "limits: {stop: 300ms}\n"), strings.Fields(fault)...)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(o.Result.Sentence, "bypassed its link to redis-1")
			if o.Failure != nil || o.Result.Grade != want || said != (fault != "") {
				t.Errorf("%s, failure %v", o.Result.Sentence, o.Failure)
			}
		})
	}
}

// TestEffectsOnTheWire: what replicas do to a key is seen on their links, with nothing changed in
// them. What a transaction takes back was not done.
func TestEffectsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how, server, pattern string
		want                 checker.Grade
		runs                 int
	}{
		{"pays redis same", "redis", `SET paid:(?P<key>\S+)`, checker.Unsafe, 38},
		{"pays redis own", "redis", `SET paid:(?P<key>\S+)`, checker.Safe, 38},
		{"pays postgres same", "postgres", `INSERT INTO payouts .*\[(?P<key>\S+) `, checker.Unsafe, 38},
		{"pays postgres own", "postgres", `INSERT INTO payouts .*\[(?P<key>\S+) `, checker.Safe, 38},
		{"pays postgres rolled-back", "postgres", `INSERT INTO payouts .*\[(?P<key>\S+) `, checker.Safe, 2},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			f := file(t, c.how, "")
			text := fmt.Sprintf(`app: test
command: [%q]
env: {%s: %q, REDIS: "${redis}", POSTGRES: "${postgres.url}"}
servers: {redis: redis, postgres: postgres}
jobs: {payout: {seen: {effect: {%s: '%s'}}, promises: {once_per_key: true}}}
ttl: 500ms
duration: 3s
limits: {stop: 500ms}
`, os.Args[0], asReplica, c.how, c.server, c.pattern)
			if err := os.WriteFile(f.Path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := app.Read(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			o, err := torture(t.Context(), t, f)
			if err != nil {
				t.Fatal(err)
			}
			if !allPaid(t, o) { // a busy machine
				c.runs = 1
			}
			if o.Failure != nil || o.Result.Grade != c.want || (o.Result.Counts.Anomalies["ran-twice"] > 0) != (c.want == checker.Unsafe) || o.Result.Counts.Grants < c.runs {
				t.Errorf("%s, %d runs: %s, failure %v", o.Result.Grade, o.Result.Counts.Grants, o.Result.Sentence, o.Failure)
			}
		})
	}
}

// TestStaleEffect: a replica that is stopped under a lease that it checks once carries out its
// effect too late. Where the store refuses that, nothing is flagged.
func TestStaleEffect(t *testing.T) {
	t.Parallel()
	for how, effect := range map[string]string{"lease": `{redis: '^SET paid:(?P<key>\S+)'}`, "fenced": `{redis: 'paid (?P<key>\d+)', refused: '^0$'}`} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			f := file(t, how, "")
			text, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			seen := strings.Replace(string(text), "{payout: {promises", "{payout: {seen: {event: true, effect: "+effect+"}, promises", 1)
			if err := os.WriteFile(f.Path, []byte(seen), 0o644); err != nil {
				t.Fatal(err)
			}
			if f, err = app.Read(f.Path); err != nil {
				t.Fatal(err)
			}
			f.Duration = 5 * time.Second
			o := tortureUntil(t, f, func(r checker.Result) bool { return r.Grade != checker.Safe }, "pause")
			r := o.Result
			if stale := r.Counts.Anomalies["stale-effect"] > 0; o.Failure != nil || stale != (how == "lease") || (r.Grade == checker.Unsafe) != (how == "lease") || how == "fenced" && r.Grade != checker.FencedG {
				t.Errorf("%s: %s, failure %v", r.Grade, r.Sentence, o.Failure)
			}
		})
	}
}

// TestFaults: every fault strikes and is healed, and a replica that was killed works again.
func TestFaults(t *testing.T) {
	t.Parallel()
	f := file(t, "unlocked", "limits: {stop: 1s}\nreplicas: 3\n")
	f.Duration = 12 * time.Second // on a busy machine a kind takes a second
	o, err := torture(t.Context(), t, f, "pause", "kill", "restart", "partition", "latency", "hold", "clock", "client-clock")
	if err != nil {
		t.Fatal(err)
	}
	if o.Failure != nil || o.Result.Ended != "" {
		t.Errorf("failure %v, ended %q", o.Failure, o.Result.Ended)
	}
	for _, f := range o.Result.Faults {
		if f.Injected == 0 {
			t.Errorf("%s never struck", f.Nemesis)
		}
	}
	if o.Result.Counts.Crashes < 2 || o.Result.Counts.Processes < 5 {
		t.Errorf("%d crashes, %d processes: a kill and a restart make one each", o.Result.Counts.Crashes, o.Result.Counts.Processes)
	}
}

// TestHostile: programs that do what they like are told what is wrong with them, and leave
// nothing behind.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ how, more, want string }{
		{"exits", "", "it ended before it was ready"},
		{"never ready", "limits: {ready: 500ms}\n", "was not ready in time"},
		{"locked", "before: [sleep 1000.125]\nlimits: {before: 300ms}\n", "it did not end within 300ms (limits: before)"},
		{"locked", "before: [./no-such-program]\n", "./no-such-program"},
	} {
		_, err := torture(t.Context(), t, file(t, c.how, c.more))
		if !errors.As(err, new(*driver.Error)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.how, err, c.want)
		}
		nothingLeft(t)
	}
	for _, how := range []string{"stubborn", "floods"} {
		f := file(t, how, "limits: {stop: 300ms}\n")
		f.Duration = time.Second
		o, err := torture(t.Context(), t, f)
		if err != nil || o.Failure != nil {
			t.Fatalf("%s: %v", how, err)
		}
		nothingLeft(t)
		info, err := os.Stat(o.Dir.File("client-1.log"))
		if err != nil || info.Size() > 8<<20 {
			t.Errorf("%s: a log of %d bytes, %v", how, info.Size(), err)
		}
	}
}

// nothingLeft fails if a process of this test still runs.
func nothingLeft(t *testing.T) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		line, _ := os.ReadFile(filepath.Join(d, "cmdline")) // it may have ended
		env, _ := os.ReadFile(filepath.Join(d, "environ"))
		if strings.Contains("\x00"+string(env), "\x00"+ofTest+"="+t.Name()+"\x00") {
			t.Errorf("%s is left: %q", d, line)
		}
	}
}

// TestInterrupted: an interrupt ends a run in order, and what was recorded is judged.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	f := file(t, "unlocked", "")
	f.Duration = time.Minute
	time.AfterFunc(3*time.Second, interrupt)
	o, err := torture(ctx, t, f, "pause")
	if err != nil || o.Result.Ended != "interrupted" || o.Result.Grade != checker.Unsafe {
		t.Errorf("%v, ended %q: %s", err, o.Result.Ended, o.Result.Sentence)
	}
	nothingLeft(t)
}
