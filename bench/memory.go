package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// A Memory is what held locks take on the servers, in bytes for each, all servers together.
type Memory struct {
	Locks int     `json:"locks"` // number of locks held at the same time
	Lock  Spread  `json:"lock_bytes"`
	Bare  *Spread `json:"bare_bytes,omitempty"`
	Ratio *Ratio  `json:"ratio,omitempty"`
}

// MeasureMemory lets one client of each side hold up to n locks, in turns, and asks the
// servers for their memory with none and with all of them. The last side is the
// lock, the one before it, if there is one, the bare commands.
func MeasureMemory(ctx context.Context, c Config, n int, memory Counter, sides ...Side) (out Memory, err error) {
	c = c.withDefaults()
	c.Turns, c.Hold = min(c.Turns, 3), 0
	crews, dismiss, err := hireAll(ctx, c, sides, func(int) int { return 1 })
	if err != nil {
		return Memory{}, err
	}
	defer func() { err = errors.Join(err, dismiss()) }()
	// The second time finds what a server makes once and keeps.
	for _, w := range crews {
		if _, _, err := w.fill(ctx, n, c.Duration/2, memory); err != nil {
			return Memory{}, err
		}
	}
	each := make([][]float64, len(sides))
	err = c.takeTurns(ctx, len(sides), func(i int) error {
		bytes, held, err := crews[i].fill(ctx, n, c.Duration/2, memory)
		if err == nil {
			each[i] = append(each[i], bytes)
			out.Locks = held
		}
		return err
	})
	last := len(sides) - 1
	out.Lock = spreadOf(each[last])
	if last > 0 {
		s := spreadOf(each[last-1])
		out.Bare, out.Ratio = &s, ratioOf(each[last], each[last-1])
	}
	return out, err
}

// fill takes up to n locks, or as many as the time allows, and returns the bytes for each.
func (w *crew) fill(ctx context.Context, n int, d time.Duration, memory Counter) (bytes float64, held int, err error) {
	before, err := memory.read(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("memory: %w", err)
	}
	var leases []locks.Lease
	defer func() {
		for _, l := range leases {
			rctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.patience)
			err = errors.Join(err, l.Release(rctx))
			cancel()
		}
	}()
	start := time.Now()
	for i := range n {
		if i > 0 && time.Since(start) > d {
			break
		}
		actx, cancel := context.WithTimeout(ctx, w.patience)
		l, err := w.side.take(actx, w.clients[0], w.side.name("held", i))
		cancel()
		if err != nil {
			return 0, 0, fmt.Errorf("acquire: %w", err)
		}
		leases = append(leases, l)
	}
	after, err := memory.read(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("memory: %w", err)
	}
	return float64(after-before) / float64(len(leases)), len(leases), nil
}
