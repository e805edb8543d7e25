package harness_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A frozen client waits for a lock that is never granted. It can be paused and not resumed.
type frozen struct{ locks.Locker }

func (frozen) Acquire(ctx context.Context, _ string) (locks.Lease, error) {
	<-ctx.Done()
	return nil, locks.ErrNotAcquired
}

func (frozen) Close() error                { return nil }
func (frozen) Kill(context.Context) error  { return nil }
func (frozen) Pause(context.Context) error { return nil }

func (frozen) Resume(context.Context) error { return errors.New("it does not continue") }

// TestEnd: whatever ends a run, the last entry says what it was.
func TestEnd(t *testing.T) {
	errOpen := errors.New("no such server")
	freeze := func(context.Context, int, int) (locks.Locker, error) { return frozen{}, nil }
	refused := func(context.Context, int, int) (locks.Locker, error) { return nil, errOpen }
	limit := harness.Early("history limit")
	for _, tt := range []struct {
		name  string
		open  func(context.Context, int, int) (locks.Locker, error)
		steps []nemesis.Step
		lasts time.Duration // default 100 ms
		cause error         // ends the run while the clients open, or as soon as the first has acquired
		want  string
		err   string // of the end and of Go
	}{
		{name: "in time", want: history.Complete},
		{name: "by a signal", cause: errors.New("hangup"), want: history.Interrupted},
		{name: "by its limit", cause: limit, want: "history limit"},
		{name: "while it connects", open: refused, cause: errors.New("hangup"), want: history.Interrupted},
		{name: "by a fault that is not there", steps: []nemesis.Step{{N: 1, Fault: "flood"}}, want: history.Failed, err: "nemesis: fault 1: unknown fault"},
		{
			name: "by a pause that does not end", open: freeze, lasts: time.Minute,
			steps: []nemesis.Step{{N: 3, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{1}}},
			want:  history.Failed, err: "nemesis: heal fault 3, pause: it does not continue",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var file bytes.Buffer
			start := time.Now()
			now := func() int64 { return int64(time.Since(start)) }
			rec := history.NewRecorder(&file, now)
			ctx, end := context.WithCancelCause(t.Context())
			defer end(nil)
			open := tt.open
			if open == nil {
				open = isolated(local(t))
			}
			run, err := harness.New(harness.Config{
				Clients: 2, Duration: cmp.Or(tt.lasts, 100*time.Millisecond), TTL: 200 * time.Millisecond, FreeWithin: freeWithin, Fencing: harness.FencingOff,
				Workload: workloads.Counter{}, Resource: &workloads.Memory{}, Traits: control.LocalTraits(), World: &nemesis.World{TTL: 200 * time.Millisecond},
				Kinds: nemesis.Kinds{"pause": nemesis.Pause{Bound: nemesis.Span{Most: 0.1}}},
				Now:   now, Open: func(ctx context.Context, client, process int) (locks.Locker, error) {
					if tt.open != nil && tt.cause != nil {
						end(tt.cause)
					}
					return open(ctx, client, process)
				},
				Record: func(op history.Op) (history.Op, error) {
					if op.F == history.Acquire && tt.cause != nil {
						end(tt.cause)
					}
					return rec.Record(op)
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Go(ctx, tt.steps); (err == nil) != (tt.err == "") {
				t.Errorf("Go: %v, want %q", err, tt.err)
			}
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
			h, truncated, err := history.ReadAll(&file)
			if err != nil || truncated {
				t.Fatalf("truncated %v, %v", truncated, err)
			}
			last := h[len(h)-1]
			if last.F != history.End || last.Value != tt.want || (last.Error != "") != (tt.err != "") {
				t.Errorf("the last entry is %+v, want an end: %s %s", last, tt.want, tt.err)
			}
		})
	}
}
