package timeline

import (
	"testing"
	"time"

	"locktorture/history"
)

// TestKeptWaits: a wait may bear witness later if it outlasted the latest holder, of a lock
// that must be free.
func TestKeptWaits(t *testing.T) {
	kept := func(within time.Duration, end int64) int {
		v := emptyFold(t, Options{FreeWithin: within})
		l := v.lock("L")
		l.gone, l.Kept = 100, []*Call{{End: end}}
		v.prune(l, 500)
		return len(l.Kept)
	}
	check(t, []border{{"it outlasted", kept(time.Second, 101), 1}, {"it ended with it", kept(time.Second, 100), 0}, {"it need not be free", kept(0, 101), 0}})
}

// TestDue: what is due is judged when time has moved on.
func TestDue(t *testing.T) {
	size := func(at int64) int {
		v := emptyFold(t, Options{})
		l := v.lock("L")
		l.size, v.due, v.now = 5, []*Lock{l}, 100
		if err := v.next(&history.Op{F: history.Read, Type: history.OK, Time: at}); err != nil {
			t.Fatal(err)
		}
		return l.size
	}
	check(t, []border{{"at the same moment", size(100), 5}, {"1 ns later", size(101), 0}})
}
