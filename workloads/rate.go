package workloads

import (
	"context"
	"math/rand/v2"
	"strconv"
)

// A Rate lets a limited number of sections work at a time: the workload of a semaphore. A section
// takes one or two of the permits, notes its start, works, and notes its end. The keys of a lock:
//
//	<lock>/capacity    the total number of permits
//	<lock>/begun/<tag> the number of permits of a section that has begun
//	<lock>/done/<tag>  the same number, when the section has ended
//
// A section that is cut never ends, and is not counted.
type Rate struct{ Config }

var _ Workload = Rate{}

// RateCapacity is the capacity of the semaphore of a Rate.
const RateCapacity = 3

// CapacityKey returns the key with the capacity of a semaphore.
func CapacityKey(lock string) string { return lock + "/capacity" }

// WorkBegunKey returns the key with the number of permits of a section that has begun.
func WorkBegunKey(lock, tag string) string { return lock + "/begun/" + tag }

// WorkDoneKey returns the key with the number of permits of a section that has ended.
func WorkDoneKey(lock, tag string) string { return lock + "/done/" + tag }

// Init writes the capacity of every semaphore.
func (w Rate) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "rate", CapacityKey, strconv.Itoa(RateCapacity))
}

// Next draws the semaphore, the times, and whether the section needs one permit or two, if two are
// allowed.
func (w Rate) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "rate")
	name := tag(r, process)
	section.Permits, section.Capacity = 1, RateCapacity
	if two := r.IntN(4) == 0; two && !w.Single {
		section.Permits = 2
	}
	section.Run = func(ctx context.Context, s Store) error {
		if err := writeInt(ctx, s, WorkBegunKey(lock, name), section.Permits); err != nil {
			return err
		}
		return writeInt(ctx, s, WorkDoneKey(lock, name), section.Permits)
	}
	return section
}
