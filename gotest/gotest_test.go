package gotest_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/nemesis"
)

func TestMain(m *testing.M) {
	os.Exit(gotest.Main(m, func(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
		on := redis.Config{Addr: o.Endpoints[0], TTL: o.TTL, Owner: o.Owner(), Clock: clock}
		switch o.Options["lock"] {
		case "local":
			return control.NewLocal(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
		case "fenced":
			return redis.NewFenced(on), nil
		case "setnx-expire":
			return redis.NewSetNXExpire(on), nil
		case "signals":
			return newSignals(o), nil
		case "tokens":
			return newTokens(o), nil
		case "monitor":
			return newMonitor(o), nil
		case "hasty":
			return newHasty(o), nil
		case "file", "listener":
			return newOutside(o), nil
		case "undialed":
			return undialed{}, nil
		case "refused":
			return nil, exec.Command("true").Run()
		case "panics":
			panic("no lock today")
		}
		return control.NewNone(o.Owner()), nil
	}))
}

// The controls: the lock that grants everything is found out, the one that is
// never wrong is not flagged although its clients are really stopped and killed.
func TestControls(t *testing.T) {
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, tt := range []struct {
		lock   string
		traits locks.Traits
		want   checker.Grade
	}{
		{"local", control.LocalTraits(), checker.Safe},
		{"none", control.NoneTraits(), checker.Unsafe},
	} {
		t.Run(tt.lock, func(t *testing.T) {
			var r checker.Result
			for d := 6 * time.Second; d < 30*time.Second; d *= 2 { // a busy machine takes longer until a verdict is possible
				var err error
				if r, err = gotest.Run(t.Context(), gotest.Config{
					Traits: tt.traits, Endpoints: []string{s.Addr()}, Options: map[string]string{"lock": tt.lock},
					Duration: d, TTL: time.Second, Seed: 3, Stderr: os.Stderr,
				}); err != nil {
					t.Fatal(err)
				}
				if r.Grade != checker.Unknown {
					break
				}
			}
			if r.Grade != tt.want {
				t.Errorf("%s: %s, want %s", r.Grade, r.Sentence, tt.want)
			}
		})
	}
}

// A fault that cannot be injected is an error.
func TestImpossibleFault(t *testing.T) {
	_, err := gotest.Run(t.Context(), gotest.Config{
		Traits: control.NoneTraits(), Endpoints: []string{"127.0.0.1:1"},
		Nemeses: map[string]nemesis.Nemesis{"partition": nemesis.Partition{}},
	})
	if err == nil {
		t.Error("a partition of servers without links was accepted")
	}
}
