package mutants_test

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
)

func quorumChanges() map[mutants.Switch]change {
	return map[mutants.Switch]change{
		mutants.TwoOfFive: {func(w *world) string {
			for _, m := range w.redis[:3] {
				m.Set("lock:x", "another")
			}
			return w.soon(w.client("p0"), "x")
		}, "refused", "granted"},
		mutants.SilentNodeYes: {func(w *world) string {
			for _, m := range w.redis[:3] {
				m.SetError("no answer")
			}
			return w.soon(w.client("p0"), "x")
		}, "unknown", "granted"},
	}
}

// waiters lets clients wait in the queue one after the other, and says who is granted when the
// holder releases, in that order.
func waiters(w *world, owners ...string) string {
	first := w.take(w.client("holder"))
	granted := make(chan string, len(owners))
	for i, owner := range owners {
		c := w.client(owner)
		go func() {
			if _, err := c.Acquire(w.Context(), "x"); err == nil {
				granted <- owner
			}
		}()
		w.until("a client waits", func() bool { return w.queue.Waiting("x") == i+1 })
	}
	w.release(first)
	text := <-granted
	select {
	case another := <-granted:
		return text + " and " + another
	case <-time.After(200 * time.Millisecond):
		return text
	}
}

func queueChanges() map[mutants.Switch]change {
	// told says whether a holder whose session was ended is told within half a second.
	told := func(w *world) string {
		l := w.take(w.client("p0"))
		eventually(func() bool { // the first ping makes it a session that ends
			w.queue.EndSessions()
			return w.try(w.client("p1"), "x") == "granted"
		})
		select {
		case <-l.(locks.Watched).Lost():
			return "told"
		case <-time.After(500 * time.Millisecond):
			return "not told"
		}
	}
	return map[mutants.Switch]change{
		mutants.LastFirst: {func(w *world) string { return waiters(w, "a", "b", "c") }, "a", "c"},
		mutants.Starves:   {func(w *world) string { return waiters(w, "p0", "p1") }, "p0", "p1"},
		mutants.WakesTwo: {func(w *world) string {
			return text(len(waiters(w, "a", "b")) > 1, " at a time")
		}, "false at a time", "true at a time"},
		mutants.GhostWaiter: {func(w *world) string {
			l := w.take(w.client("p0"))
			w.soon(w.client("p1"), "x")
			w.release(l)
			return w.try(w.client("p2"), "x")
		}, "granted", "refused"},
		mutants.OutlivesDeath: {func(w *world) string {
			c := w.client("p0")
			w.take(c)
			c.Close()
			ctx, cancel := context.WithTimeout(w.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := w.client("p1").Acquire(ctx, "x")
			return outcome(err)
		}, "granted", "refused"},
		mutants.PlaceOfDead: {func(w *world) string {
			first, dead := w.take(w.client("p0")), w.client("p1")
			go dead.Acquire(w.Context(), "x")
			if !eventually(func() bool { return w.queue.Waiting("x") == 1 }) {
				w.Fatal("a client does not wait")
			}
			dead.Close()
			eventually(func() bool { return w.queue.Waiting("x") == 0 }) // of the mutant never
			w.release(first)
			return w.soon(w.client("p2"), "x")
		}, "granted", "refused"},
		mutants.NoticeLate:       {told, "told", "not told"},
		mutants.NoticeMissing:    {told, "told", "not told"},
		mutants.ReconnectForgets: {told, "told", "not told"},
	}
}
