package workloads

import (
	"context"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Register is the baseline: plain reads and writes of one value. A section
// reads it twice, or writes it and reads it back; alone in its section a
// client sees one value. The key of a lock:
//
//	<lock>/register  the value, a new one with each write
//
// A section has at most one write, so any prefix of it is harmless.
type Register struct{ Config }

var _ Workload = Register{}

// RegisterKey returns the key of the value.
func RegisterKey(lock string) string { return wire.Key(lock, "register") }

// Init writes an initial value.
func (w Register) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "register", RegisterKey, "initial")
}

// Next draws the lock, the times, a new value and whether the section writes it.
func (w Register) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "register")
	value, writes := tag(r, process), r.IntN(2) == 0
	section.Run = func(ctx context.Context, s Store) error {
		var err error
		if writes {
			err = s.Write(ctx, RegisterKey(lock), value)
		} else {
			_, err = s.Read(ctx, RegisterKey(lock))
		}
		if err != nil {
			return err
		}
		_, err = s.Read(ctx, RegisterKey(lock))
		return err
	}
	return section
}
