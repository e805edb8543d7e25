package mutants_test

import (
	"context"
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
)

var (
	reader = locks.Claim{Shared: true}
	writer = locks.Claim{}
)

func some(n int) locks.Claim { return locks.Claim{Permits: n, Capacity: 3} }

// claim takes what is claimed, and fails the test if that was refused.
func (w *world) claim(c locks.Claim) locks.Lease {
	w.Helper()
	l, err := locks.Take(w.Context(), w.client("p0"), "x", c)
	if err != nil {
		w.Fatal(err)
	}
	return l
}

// A claimer is a client whose Acquire asks for something.
type claimer struct {
	locks.Locker
	claim locks.Claim
}

// Acquire takes what is claimed.
func (c claimer) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return locks.Take(ctx, c.Locker, name, c.claim)
}

// wants says how an acquire ends that gives up after a while.
func (w *world) wants(c locks.Claim) string {
	return w.soon(claimer{w.client("p1"), c}, "x")
}

func holdsChanges() map[mutants.Switch]change {
	return map[mutants.Switch]change{
		mutants.ReaderBarges: {barges, "waits behind the writer", "granted before the writer"},
		mutants.UpgradeLetsGo: {func(w *world) string {
			l := w.claim(reader)
			w.claim(reader)
			go func() { _ = w.upgrade(l, 300*time.Millisecond) }()
			return text(eventually(func() bool { return w.queue.Waiting("x") == 1 }), " in the queue")
		}, "false in the queue", "true in the queue"},
		mutants.UpgradersWait: {func(w *world) string {
			first, second := w.claim(reader), w.claim(reader)
			ends := make(chan error, 2)
			for _, l := range []locks.Lease{first, second} {
				go func() { ends <- w.upgrade(l, 300*time.Millisecond) }()
			}
			begun := time.Now()
			<-ends
			return text("refused at once: ", time.Since(begun) < 200*time.Millisecond)
		}, "refused at once: true", "refused at once: false"},
		mutants.ReaderExtendsWriter: {func(w *world) string {
			w.claim(writer)
			before := w.ends()
			time.Sleep(20 * time.Millisecond) // the server's time is real
			w.wants(reader)
			return fmt.Sprint("later: ", w.ends() > before)
		}, "later: false", "later: true"},
		mutants.ReadersOverlooked: {func(w *world) string {
			w.claim(reader)
			return w.wants(writer)
		}, "refused", "granted"},
		mutants.FirstReaderFrees: {func(w *world) string {
			first := w.claim(reader)
			w.claim(reader)
			w.release(first)
			return w.wants(writer)
		}, "refused", "granted"},
		mutants.PermitsByClient: {func(w *world) string { // its clock stands at 1970
			w.claim(some(3))
			return fmt.Sprint("ends in this century: ", w.ends() > 1e12)
		}, "ends in this century: true", "ends in this century: false"},
		mutants.FreesTwice: {func(w *world) string {
			w.release(w.claim(some(1)))
			w.claim(some(3))
			return w.wants(some(1))
		}, "refused", "granted"},
		mutants.PermitLeaks: {func(w *world) string {
			w.release(w.claim(some(1)))
			return w.wants(some(3))
		}, "granted", "refused"},
		mutants.BarsReaders: {func(w *world) string {
			w.release(w.claim(writer))
			return w.wants(reader) + ", a writer " + w.wants(writer)
		}, "granted, a writer refused", "refused, a writer granted"},
		mutants.BarsWriters: {func(w *world) string {
			w.release(w.claim(reader))
			return w.wants(writer) + ", a reader " + w.wants(reader)
		}, "granted, a reader refused", "refused, a reader granted"},
		mutants.BarsPairs: {func(w *world) string {
			w.release(w.claim(some(1)))
			return w.wants(some(2)) + ", one " + w.wants(some(1)) + ", all " + w.wants(some(3))
		}, "granted, one granted, all refused", "refused, one granted, all refused"},
		mutants.OneCapacity: {func(w *world) string {
			c := w.client("p0")
			take := func(name string, capacity int) error {
				ctx, cancel := context.WithTimeout(w.Context(), 300*time.Millisecond)
				defer cancel()
				_, err := locks.Take(ctx, c, name, locks.Claim{Permits: 1, Capacity: capacity})
				return err
			}
			return text(outcome(take("x", 2)), ", ", outcome(take("y", 1)), ", ", outcome(take("y", 1)))
		}, "granted, granted, refused", "granted, granted, granted"},
		mutants.GrantsPart: {func(w *world) string {
			w.claim(some(2))
			return w.wants(some(2))
		}, "refused", "granted"},
	}
}

// barges says what becomes of a reader that asks while another reads and a writer waits.
func barges(w *world) string {
	w.claim(reader)
	asks := func(owner string, c locks.Claim) <-chan error {
		l, ended := w.client(owner), make(chan error, 1)
		go func() {
			_, err := locks.Take(w.Context(), l, "x", c)
			ended <- err
		}()
		return ended
	}
	asks("p2", writer)
	w.until("the writer waits", func() bool { return w.queue.Waiting("x") == 1 })
	granted := asks("p1", reader)
	w.until("the reader waits or is let in", func() bool { return len(granted) > 0 || w.queue.Waiting("x") == 2 })
	select {
	case err := <-granted:
		return outcome(err) + " before the writer"
	default:
		return "waits behind the writer"
	}
}

// upgrade waits for so long to become the writer.
func (w *world) upgrade(l locks.Lease, within time.Duration) error {
	ctx, cancel := context.WithTimeout(w.Context(), within)
	defer cancel()
	return l.(locks.Upgrader).Upgrade(ctx)
}

// ends returns when the first hold ends on the server, in ms.
func (w *world) ends() float64 {
	members, err := w.redis[0].SortedSet("holds:x")
	if err != nil {
		w.Fatal(err)
	}
	for _, end := range members {
		return end
	}
	return 0
}
