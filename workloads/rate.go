package workloads

import (
	"context"
	"math/rand/v2"
	"strconv"
)

// A Rate lets so many work at a time: the workload of a semaphore. A section takes one or two
// of the permits, notes that it has begun, works, and notes that it is done. The keys of a
// lock:
//
//	<lock>/capacity    the permits in all
//	<lock>/begun/<tag> how many the section has that has begun
//	<lock>/done/<tag>  the same, when it is done
//
// A section that is cut off never ends, and counts for nothing.
type Rate struct{ Config }

var _ Workload = Rate{}

// RateCapacity is how many permits the semaphore of a Rate has.
const RateCapacity = 3

// CapacityKey holds how many permits a semaphore has.
func CapacityKey(lock string) string { return lock + "/capacity" }

// WorkBegunKey holds how many permits a section has that has begun.
func WorkBegunKey(lock, tag string) string { return lock + "/begun/" + tag }

// WorkDoneKey holds the same of a section that is done.
func WorkDoneKey(lock, tag string) string { return lock + "/done/" + tag }

// Init writes the capacity of every semaphore.
func (w Rate) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "rate", CapacityKey, strconv.Itoa(RateCapacity))
}

// Next draws the semaphore, the times, and whether the section needs one permit or two, if it
// can have two.
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
