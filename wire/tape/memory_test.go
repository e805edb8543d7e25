package tape_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/wire/blank"
	"locktorture/wire/tape"
)

// TestMemoryIsBounded: four links carry 256 MB, also messages that are held and never go on,
// into a ring of 1 MB. Neither the process nor the file keeps more than a little of that.
func TestMemoryIsBounded(t *testing.T) {
	const links, rounds, chunk, limit = 4, 8, 32 << 10, 1 << 20
	path, start := filepath.Join(t.TempDir(), "wire.bin"), time.Now()
	cfg := tape.Config{Path: path, Limit: limit, Now: func() int64 { return int64(time.Since(start)) }, Blank: func(p string) tape.Blanker { return blank.For(p) }}
	for range links {
		cfg.Links = append(cfg.Links, tape.Link{Client: 1, To: "redis-1", Protocol: "redis"})
	}
	tp, err := tape.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	before, most := heap(), uint64(0)
	for range rounds {
		var wg sync.WaitGroup
		for i := range links {
			wg.Go(func() {
				up, down := tp.On(i).Connect(cluster.Way{})
				for n := range 256 << 20 / links / rounds / chunk {
					up.Leave(up.Enter([]byte(command)))
					c := down.Enter(make([]byte, chunk))
					if n%2 == 0 { // the others are held
						down.Leave(c)
					}
				}
			})
		}
		wg.Wait()
		most = max(most, heap())
	}
	if grown := int64(most) - int64(before); grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > limit+64<<10 {
		t.Errorf("the file has %d bytes of %d: %v", info.Size(), limit, err)
	}
}

// heap returns what is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
