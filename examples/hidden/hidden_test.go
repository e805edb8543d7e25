package hidden

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// TestMain lets this test binary be the process of each client, too.
func TestMain(m *testing.M) {
	os.Exit(gotest.Main(m, func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
		switch o.Options["lock"] {
		case "reply-time":
			return replyTime{newBase(o, nil)}, nil
		case "timed-out":
			return timedOut{newBase(o, impatient)}, nil
		case "counted":
			return counted{newBase(o, nil)}, nil
		case "failed-release":
			return &failedRelease{base: newBase(o, impatient), mine: map[string]string{}}, nil
		case "renewed-by-name":
			return renewedByName{newBase(o, nil)}, nil
		case "queue":
			return queue{newBase(o, nil)}, nil
		case "late-vote":
			return lateVote{newBase(o, nil)}, nil
		}
		return nil, fmt.Errorf("no lock is called %q", o.Options["lock"])
	}))
}

// bugs are what the search must find: of one of these kinds.
func bugs() map[string][]string {
	return map[string][]string{
		"reply-time":      {"double-grant", "nonlinearizable"},
		"timed-out":       {"orphan"},
		"counted":         {"deadlock"},
		"failed-release":  {"double-grant", "nonlinearizable", "false-validity"},
		"renewed-by-name": {"double-grant", "nonlinearizable", "false-validity", "foreign-release"},
		"queue":           {"deadlock", "starved"},
		"late-vote":       {"double-grant", "nonlinearizable", "orphan", "foreign-release"},
	}
}

func config(name, right string) gotest.Config {
	cfg := gotest.Config{Traits: traits(), Options: map[string]string{"lock": name, "right": right}, Seed: 1}
	if name == "late-vote" {
		cfg.Topology = "redis-5"
	}
	return cfg
}

// TestBugs finds each bug with the defaults.
func TestBugs(t *testing.T) {
	for name, kinds := range bugs() {
		t.Run(name, func(t *testing.T) {
			cfg := config(name, "")
			if cfg.Dir = os.Getenv("HIDDEN_DIR"); cfg.Dir == "" {
				cfg.Dir = t.ArtifactDir()
			}
			e, err := gotest.Search(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(e.Unseen)
			if e.Found == nil {
				t.Fatalf("nothing was found in %d trials", e.Trials)
			}
			t.Logf("trial %d, %s\n%s\n%s\n%s", e.Found.Trial, e.Found.Mechanism, e.Found.Result.Sentence, e.Found.Cause, e.Found.Report)
			if !slices.ContainsFunc(kinds, func(k string) bool { return e.Found.Result.Counts.Anomalies[k] > 0 }) {
				t.Errorf("%v, want one of %v", e.Found.Result.Counts.Anomalies, kinds)
			}
		})
	}
}

// TestTwins flags none of the correct twins.
func TestTwins(t *testing.T) {
	for name := range bugs() {
		t.Run(name, func(t *testing.T) {
			e := gotest.Explore(t, config(name, "yes"))
			if e.Unseen != "" {
				t.Log(e.Unseen)
			}
		})
	}
}
