package kubernetes

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// manyCells is how many cells TestManyCells has: results/clusters.md has what 10,000 cost.
var manyCells = flag.Int("cells", 100, "the cells of TestManyCells")

// TestManyCells has many cells carried out, and looks at what that costs the coordinator.
// The fake cluster is in the same process: its memory and time are counted with it.
func TestManyCells(t *testing.T) {
	const bound = 500 << 20
	cells := *manyCells
	ended := make([]chan struct{}, cells)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	f := newFake(t, func(int, int) end { return end{} })
	f.after = func(i int) { <-ended[i] } // watches of the fake clientset hold so many news, and no more
	e, q := New(config(t, 20), f.cluster()), newQueue(cells)
	go func() {
		for name := range q.told {
			i, err := strconv.Atoi(name[strings.LastIndexByte(name, ' ')+1:])
			if err != nil {
				t.Error(err)
			}
			close(ended[i])
		}
	}()
	start, before := time.Now(), processor(t)
	var most uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.Sys-m.HeapReleased)
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	err := e.Execute(t.Context(), q)
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(e.cfg.Out, "runs", "*", "run.json"))
	if err != nil || len(dirs) != cells || len(q.ended) != cells {
		t.Errorf("%d tries have ended, and left %d directories, %v", len(q.ended), len(dirs), err)
	}
	t.Logf("%d cells in %s, %s of processor, %d MB, %d requests beside watches", cells, time.Since(start).Round(time.Millisecond), (processor(t) - before).Round(time.Millisecond), most>>20, f.requests.Load())
	if most > bound {
		t.Errorf("%d MB, at most %d", most>>20, bound>>20)
	}
	if n := f.requests.Load(); n > int64(2*cells) {
		t.Errorf("%d requests for %d cells", n, cells)
	}
	if size := f.mapSize; size == 0 || size > 1<<20 {
		t.Errorf("a ConfigMap of %d bytes", size)
	} else {
		t.Logf("a ConfigMap of %d kB", size>>10)
	}
	if err := os.RemoveAll(e.cfg.Out); err != nil {
		t.Error(err)
	}
}

// processor returns the processor time that this process has taken.
func processor(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
