package attempt

import (
	"crypto/rand"
	"encoding/binary"
	mrand "math/rand/v2"
	"sync"
	"time"
)

// Owner makes an owner value that nobody ever used: who, a colon, and 26 random
// characters. A value that was used before could let a request that is carried out late
// end a later lease.
func Owner(who string) string { return who + ":" + rand.Text() }

// Rand is r, or a source seeded by the system if r is nil: clients that
// drew the same pauses would meet again and again.
func Rand(r *mrand.Rand) *mrand.Rand {
	if r != nil {
		return r
	}
	var seed [16]byte
	_, _ = rand.Read(seed[:]) // it never fails
	return mrand.New(mrand.NewPCG(binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:])))
}

// Pauses draws pauses between least and least + spread, for several goroutines.
func Pauses(least, spread time.Duration, r *mrand.Rand) func() time.Duration {
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return least + time.Duration(r.Int64N(int64(spread)))
	}
}
