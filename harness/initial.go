package harness

import (
	"context"
	"fmt"

	"locktorture/history"
	"locktorture/internal/wire"
	"locktorture/workloads"
)

// init writes the workload's initial state into every store in use.
func (r *Run) init(ctx context.Context) error {
	kinds := []string{history.Plain}
	switch r.cfg.Fencing {
	case FencingOn:
		kinds = []string{history.Fenced}
	case FencingBoth:
		kinds = []string{history.Plain, history.Fenced}
	}
	for _, kind := range kinds {
		if err := r.cfg.Workload.Init(ctx, &initialStore{run: r, kind: kind}); err != nil {
			return fmt.Errorf("initial state: %w", err)
		}
	}
	return nil
}

// An initialStore writes the initial state. Its writes are recorded under the harness's own process
// number and without a lease.
type initialStore struct {
	run  *Run
	kind string
}

var _ workloads.Store = (*initialStore)(nil)

// Read reads a key without recording the read.
func (s *initialStore) Read(ctx context.Context, key string) (string, error) {
	v, _, err := s.run.cfg.Resource.Do(ctx, s.access(key))
	return v, err
}

// Write writes a key and records the write.
func (s *initialStore) Write(ctx context.Context, key, value string) error {
	a := s.access(key)
	a.Write, a.Value = true, value
	op := history.Op{Process: history.Harness, F: history.Write, Lock: a.Lock, Store: s.kind, Key: key, Value: value}
	op.Type = history.Invoke
	s.run.record(op)
	_, apply, err := s.run.cfg.Resource.Do(ctx, a)
	if err != nil {
		return err
	}
	op.Type, op.Apply = history.OK, apply
	s.run.record(op)
	return nil
}

func (s *initialStore) access(key string) workloads.Access {
	lock, _ := wire.CutKey(key)
	return workloads.Access{Lock: lock, Fenced: s.kind == history.Fenced, Key: key}
}
