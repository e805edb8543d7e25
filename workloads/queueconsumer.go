package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A QueueConsumer is one of several consumers of a queue whose messages must be handled once and in
// order. The keys of a lock:
//
//	<lock>/head         number of the next message, from 1
//	<lock>/handled/<n>  who handled message n
//
// A message is handled first and the head is moved after it. A section that was cut in between
// leaves a message that the next section finds handled.
type QueueConsumer struct{ Config }

var _ Workload = QueueConsumer{}

// HeadKey returns the key with the number of the next message.
func HeadKey(lock string) string { return wire.Key(lock, "head") }

// HandledKey returns the key with the handler of a message.
func HandledKey(lock string, n int) string { return wire.Key(lock, fmt.Sprintf("handled/%d", n)) }

// Init sets the head of every queue to message 1.
func (w QueueConsumer) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "queue", HeadKey, "1")
}

// Next draws the lock, the times and a name for the work.
func (w QueueConsumer) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "queue")
	name := tag(r, process)
	section.Run = func(ctx context.Context, s Store) error {
		n, err := readInt(ctx, s, HeadKey(lock))
		if err != nil {
			return err
		}
		handled, err := s.Read(ctx, HandledKey(lock, n))
		if err != nil {
			return err
		}
		if handled == "" {
			if err := s.Write(ctx, HandledKey(lock, n), name); err != nil {
				return err
			}
		}
		return writeInt(ctx, s, HeadKey(lock), n+1)
	}
	return section
}
