package harness_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// TestScriptTellsADeadDriver: a program of the user's that falls over in the middle of a
// script is no request that went astray, which the script would ask again.
func TestScriptTellsADeadDriver(t *testing.T) {
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	blame := func(err error) error { return &driver.Error{Name: "my-lock", Err: err} }
	o := local(t)
	var pid int
	s, err := harness.NewScript(harness.Config{
		Clients: 1, TTL: time.Second, AcquireTimeout: time.Minute, Workload: workloads.Counter{}, Resource: &workloads.Memory{},
		Fencing: harness.FencingOff, Traits: control.LocalTraits(), World: &nemesis.World{}, Record: rec.Record, Now: now,
		Open: func(ctx context.Context, client, process int) (locks.Locker, error) {
			o.Client, o.Process = client, process
			c, err := driver.Start(ctx, driver.Command{Path: os.Args[0], Env: append(os.Environ(), asDriver+"=1"), Stderr: os.Stderr, Blame: blame}, o)
			if err == nil {
				pid = c.Pid()
			}
			return c, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Broken(); err != nil {
		t.Errorf("alive, and said to be broken: %v", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, err = s.Client(1).Acquire(ctx, "counter")
	if !errors.As(err, new(*driver.Error)) || errors.Is(err, harness.ErrUnknown) {
		t.Errorf("an acquire of a dead driver: %v", err)
	}
	if err := s.Broken(); !errors.As(err, new(*driver.Error)) {
		t.Errorf("broken: %v", err)
	}
	_ = s.End("", err) // it says again what failed
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, _, err := history.ReadAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	if end := h[len(h)-1]; end.F != history.End || end.Value != history.DriverFailed {
		t.Errorf("the history ends with %s %q, want %q", end.F, end.Value, history.DriverFailed)
	}
}
