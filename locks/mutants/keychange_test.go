package mutants_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
)

// second says how a client ends that tries a lock that another holds.
func second(w *world) string {
	w.take(w.client("p0"))
	return w.try(w.client("p1"), "x")
}

// expiry returns the TTL of the key of a grant.
func expiry(w *world) string {
	w.take(w.client("p0"))
	return w.redis[0].TTL("lock:x").String()
}

// tokens returns the tokens of two successive grants, with a counter that starts at 255.
func tokens(w *world) string {
	w.redis[0].Set("token:x", "255")
	c := w.client("p0")
	text := ""
	for range 2 {
		l := w.take(c)
		text += fmt.Sprint(l.(locks.Fenced).Token(), " ")
		w.release(l)
	}
	return text
}

// validity returns how long a grant is told to be valid; the clock moves 1 ms with each look.
func validity(w *world) string {
	return w.take(w.client("p0")).(locks.Bounded).Until().Sub(time.UnixMilli(0)).String()
}

func acquireChanges() map[mutants.Switch]change {
	return map[mutants.Switch]change{
		mutants.WrongGrant: {second, "refused", "granted"},
		mutants.TrySaysYes: {second, "refused", "granted"},
		mutants.VoidGrant: {func(w *world) string {
			l := w.take(w.client("p0")).(locks.Bounded)
			return text(w.try(w.client("p1"), "x"), ", valid: ", w.clock.Now().Before(l.Until()))
		}, "refused, valid: true", "granted, valid: false"},
		mutants.SilenceIsYes: {func(w *world) string {
			w.redis[0].SetError("no answer")
			return w.try(w.client("p0"), "x")
		}, "unknown", "granted"},
		mutants.RefusesWhatLanded: {func(w *world) string {
			return text(w.try(w.client("p0"), "x"), ", landed: ", w.key() != "none")
		}, "granted, landed: true", "refused, landed: true"},
		mutants.CachedGrant: {func(w *world) string {
			a := w.client("p0")
			w.release(w.take(a))
			w.take(w.client("p1"))
			return w.try(a, "x")
		}, "refused", "granted"},
		mutants.OwnerCollides: {func(w *world) string {
			l := w.take(w.client("p0"))
			w.redis[0].Del("lock:x") // its TTL is over
			w.take(w.client("p1"))
			w.release(l)
			return text("the second still holds: ", w.key() != "none")
		}, "the second still holds: true", "the second still holds: false"},
		mutants.IgnoresName: {func(w *world) string {
			w.take(w.client("p0"))
			return w.try(w.client("p1"), "y")
		}, "granted", "refused"},
		mutants.LongValidity: {validity, "2.001s", "2.401s"},
		mutants.LateValidity: {validity, "2.001s", "2.002s"},
		mutants.TTLInSeconds: {expiry, "2s", "33m20s"},
		mutants.TTLInMillis:  {expiry, "2s", "2ms"},
		mutants.NeverExpires: {expiry, "2s", "0s"},
		mutants.ImmortalName: {func(w *world) string {
			c, without := w.client("p0"), 0
			for i := range 30 {
				name := fmt.Sprint("name-", i)
				if _, err := c.Acquire(w.Context(), name); err != nil {
					w.Fatal(err)
				}
				if w.redis[0].TTL("lock:"+name) == 0 {
					without++
				}
			}
			return text("some without expiry: ", without > 0, ", some with: ", without < 30)
		}, "some without expiry: false, some with: true", "some without expiry: true, some with: true"},
		mutants.TokenWraps: {tokens, "256 257 ", "0 1 "},
		mutants.TokenInt32: {tokens, "256 257 ", "156 157 "},
		mutants.TokenFloat: {tokens, "256 257 ", "16777372 16777372 "},
		mutants.ShutsOneOut: {func(w *world) string {
			return w.soon(w.client("p0"), "x") + ", another " + w.soon(w.client("p1"), "y")
		}, "granted, another granted", "refused, another granted"},
		mutants.TokenRepeats: {tokens, "256 257 ", "255 256 "},
		mutants.TokenMissing: {tokens, "256 257 ", "0 0 "},
		mutants.TokenOfClock: {tokens, "256 257 ", "3000000 6000000 "},
		mutants.TokenEarly: {func(w *world) string {
			w.take(w.client("p0"))
			w.try(w.client("p1"), "x")
			n, err := w.redis[0].Get("token:x")
			return text(n, err)
		}, "1<nil>", "3<nil>"},
	}
}

func releaseChanges() map[mutants.Switch]change {
	// released is what becomes of the key when its holder releases it.
	released := func(w *world) string {
		w.release(w.take(w.client("p0")))
		return text("freed: ", w.key() == "none")
	}
	return map[mutants.Switch]change{
		mutants.ReleaseExtends:   {released, "freed: true", "freed: false"},
		mutants.ReleaseForgotten: {released, "freed: true", "freed: false"},
		mutants.WatchdogStays:    {released, "freed: true", "freed: false"},
		mutants.PlainDelete: {func(w *world) string {
			l := w.take(w.client("p0"))
			w.redis[0].Set("lock:x", "another")
			w.release(l)
			return w.key()
		}, "another", "none"},
		mutants.CheckThenDelete: {func(w *world) string {
			l := w.take(w.client("p0"))
			took := false
			w.before("DEL", func() { took = true; w.redis[0].Set("lock:x", "another") })
			w.release(l)
			return text("another came between: ", took, "; key: ", w.key())
		}, "another came between: false; key: none", "another came between: true; key: none"},
		mutants.ReleaseUnawaited: {func(w *world) string {
			l := w.take(w.client("p0"))
			hold := make(chan struct{})
			w.before("EVALSHA", func() { <-hold })
			done := make(chan struct{})
			go func() { _ = l.Release(context.Background()); close(done) }()
			answered := false
			select {
			case <-done:
				answered = true
			case <-time.After(200 * time.Millisecond):
			}
			close(hold)
			return text("answered before it was done: ", answered)
		}, "answered before it was done: false", "answered before it was done: true"},
		mutants.InnerFrees: {func(w *world) string {
			c := w.client("p0")
			w.take(c)
			w.release(w.take(c))
			return text("freed: ", w.key() == "none")
		}, "freed: false", "freed: true"},
		mutants.InnerUnrenewed: {func(w *world) string {
			w.cfg.TTL = 300 * time.Millisecond
			c := w.client("p0")
			outer := w.take(c)
			inner := w.take(c)
			lives := func(when string) string { // beyond two TTLs of the server's clock
				for range 12 {
					time.Sleep(50 * time.Millisecond)
					w.redis[0].FastForward(50 * time.Millisecond)
				}
				return text(when, w.key() != "none")
			}
			seen := lives("kept inside: ")
			w.release(inner)
			w.release(outer)
			return seen
		}, "kept inside: true", "kept inside: false"},
		mutants.InnerDraws: {func(w *world) string {
			c := w.client("p0")
			return text(w.take(c).(locks.Fenced).Token(), ", again ", w.take(c).(locks.Fenced).Token())
		}, "1, again 1", "1, again 2"},
	}
}

// TestReentryAfterTheValidity: a holder whose validity is over asks the server, which keeps the
// lock for it or not.
func TestReentryAfterTheValidity(t *testing.T) {
	w := newWorld(t, mutants.FamilyReentrant, "")
	c := w.client("p0")
	outer := w.take(c)
	w.clock.ms.Add(3000) // the server stands still meanwhile
	inner := w.take(c)
	if a, b := outer.(locks.Fenced).Token(), inner.(locks.Fenced).Token(); a != b {
		t.Errorf("token %d, and %d for the entry that the server had kept the lock for", a, b)
	}
	if !w.clock.Now().Before(outer.(locks.Bounded).Until()) {
		t.Error("the hold is not valid again")
	}
	w.release(inner)
	if w.key() == "none" {
		t.Error("the inner release freed the lock")
	}
	w.clock.ms.Add(3000)
	w.redis[0].Set("lock:x", "another")
	if got := w.try(c, "x"); got != "refused" {
		t.Errorf("an entry when another has the lock was %s", got)
	}
}

func watchChanges() map[mutants.Switch]change {
	// loses is what the watchdog of a short lease does when another has the key.
	loses := func(w *world) string {
		w.cfg.TTL = 90 * time.Millisecond
		l := w.take(w.client("p0"))
		w.redis[0].Set("lock:x", "another")
		lost, taken := false, false
		eventually(func() bool {
			select {
			case <-l.(locks.Watched).Lost():
				lost = true
			default:
			}
			taken = taken || w.key() != "another"
			return lost || taken || w.fired.Load() > 2
		})
		return text("told: ", lost, ", taken over: ", taken)
	}
	return map[mutants.Switch]change{
		mutants.RenewalTakesOver: {loses, "told: true, taken over: false", "told: false, taken over: true"},
		mutants.RenewalDeaf:      {loses, "told: true, taken over: false", "told: false, taken over: false"},
		mutants.RenewalLost: {func(w *world) string {
			w.cfg.TTL = 90 * time.Millisecond
			w.take(w.client("p0"))
			renewed := make(chan struct{})
			w.before("EVALSHA", func() { close(renewed) })
			select {
			case <-renewed:
				return "renewed"
			case <-time.After(300 * time.Millisecond):
				return "not renewed"
			}
		}, "renewed", "not renewed"},
	}
}
