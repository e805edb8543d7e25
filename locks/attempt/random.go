package attempt

import (
	"crypto/rand"
	"encoding/binary"
	mrand "math/rand/v2"
	"sync"
	"time"
)

// Owner returns an owner value that was never used before: who, a colon, and 26 random
// characters. If values were used twice, a late release of an old lease could end a new one.
func Owner(who string) string { return who + ":" + rand.Text() }

// Rand returns r, or a source with a random seed if r is nil. Clients with the same seed would
// draw the same pauses and collide again and again.
func Rand(r *mrand.Rand) *mrand.Rand {
	if r != nil {
		return r
	}
	var seed [16]byte
	_, _ = rand.Read(seed[:]) // crypto/rand never returns an error
	return mrand.New(mrand.NewPCG(binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:])))
}

// Pauses returns a function that draws a pause between least and least + spread. It is safe for
// concurrent use.
func Pauses(least, spread time.Duration, r *mrand.Rand) func() time.Duration {
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return least + time.Duration(r.Int64N(int64(spread)))
	}
}
