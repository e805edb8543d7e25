package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Only one at a time has the directory of a guest, also when it is removed meanwhile.
func TestKeepIsExclusive(t *testing.T) {
	cache := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				k, err := keep(t.Context(), cache, "a")
				if err != nil {
					t.Error(err)
					return
				}
				mine := filepath.Join(k.dir, "mine")
				f, err := os.OpenFile(mine, os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					t.Errorf("somebody else is here: %v", err)
				} else {
					_ = f.Close()
				}
				_ = os.RemoveAll(k.dir)
				k.release()
			}
		})
	}
	all.Wait()
}

// Who waits for a guest can be told to stop.
func TestKeepEnds(t *testing.T) {
	cache := t.TempDir()
	k, err := keep(t.Context(), cache, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer k.release()
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := keep(ctx, cache, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// The guests that were used last stay, and those that are held.
func TestPrune(t *testing.T) {
	cache := t.TempDir()
	var first *kept
	for i := range mostKept + 3 {
		k, err := keep(t.Context(), cache, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(k.dir, old, old); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = k
			continue
		}
		k.release()
	}
	defer first.release()
	k, err := keep(t.Context(), cache, "1")
	if err != nil {
		t.Fatal(err)
	}
	k.release()
	for i, want := range []bool{true, true, false, false, true, true, true} {
		if _, err := os.Stat(filepath.Join(cache, fmt.Sprint(i))); (err == nil) != want {
			t.Errorf("%d is there: %v, want %v", i, err == nil, want)
		}
	}
}
