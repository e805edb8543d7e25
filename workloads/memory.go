package workloads

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed reports that the store was closed and applied nothing.
var ErrClosed = errors.New("store closed")

// A Memory is a Resource that is linearizable by construction: every operation runs under one
// mutex, so that every anomaly in it stems from the lock. Its zero value is ready to use.
type Memory struct {
	// WritesOnly checks only the tokens of writes, as many stores do. Then nothing notices the
	// reads of a stale holder, nor its write if no newer holder has written yet. It must be
	// set before the first operation.
	WritesOnly bool

	mu     sync.Mutex
	closed bool
	apply  int64
	values map[memoryKey]string
	marks  map[string]uint64 // by lock: the newest token seen
}

// A memoryKey keeps the plain and the fenced keys apart.
type memoryKey struct {
	fenced bool
	key    string
}

var _ Resource = (*Memory)(nil)

// Do applies one operation, or refuses it with an error that wraps ErrStale. It returns the value
// read. A refused operation has no apply number.
func (m *Memory) Do(ctx context.Context, op Access) (string, int64, error) {
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return "", 0, ErrClosed
	}
	if err := m.fence(op); err != nil {
		return "", 0, err
	}
	if held := m.values[memoryKey{op.Fenced, op.Guard}]; op.Guard != "" && held != op.Want {
		return "", 0, fmt.Errorf("%s holds %q, not %q: %w", op.Guard, held, op.Want, ErrConflict)
	}
	m.apply++
	k := memoryKey{op.Fenced, op.Key}
	if !op.Write {
		return m.values[k], m.apply, nil
	}
	if m.values == nil {
		m.values = map[memoryKey]string{}
	}
	m.values[k] = op.Value
	return "", m.apply, nil
}

// fence compares the token with the mark of the lock and raises the mark.
func (m *Memory) fence(op Access) error {
	if !op.Fenced || m.WritesOnly && !op.Write {
		return nil
	}
	mark := m.marks[op.Lock]
	if op.Token < mark {
		return fmt.Errorf("lock %s: token %d is older than %d: %w", op.Lock, op.Token, mark, ErrStale)
	}
	if op.Token > mark {
		if m.marks == nil {
			m.marks = map[string]uint64{}
		}
		m.marks[op.Lock] = op.Token
	}
	return nil
}

// Close makes every later operation fail with ErrClosed.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
