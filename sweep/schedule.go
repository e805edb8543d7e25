package sweep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"locktorture/nemesis"
	"locktorture/workloads"
)

// The two faults of a sweep, by the names of their nemeses.
const (
	stop  = "pause"
	death = "kill-client"
)

const (
	firstFault = 300 * time.Millisecond
	// leastDeaths is how many deaths a TTL has at least. How long a dead holder's lock is
	// taken varies little: it is what was left of its lease.
	leastDeaths = 3
	// deathShare is the part of the time that deaths get, if it is enough for the least.
	deathShare = 0.35
)

// A Faults is what strikes the holders.
type Faults struct {
	Stops   workloads.Spread // how long each of them is stopped
	Seed    uint64
	Clients int
}

// draw draws deaths, each with room for the longest TTL, and then stops, one after another.
// All TTLs get the same. Where a busy machine delays them, stops are late at the end, of which
// there are many.
func (f Faults) draw(duration, longest time.Duration) ([]nemesis.Step, error) {
	room := longest + longest/4 + 500*time.Millisecond // until the lock is free, and some sections were done
	deaths := max(leastDeaths, int(deathShare*float64(duration)/float64(room)))
	r := rand.New(rand.NewPCG(f.Seed, 1))
	var steps []nemesis.Step
	at := firstFault
	for range deaths {
		steps = append(steps, nemesis.Step{N: len(steps) + 1, At: at, Fault: death, Clients: []int{1 + r.IntN(f.Clients)}})
		at += room
	}
	for {
		s := nemesis.Step{N: len(steps) + 1, At: at, For: f.Stops.Draw(r), Fault: stop, Mode: nemesis.PauseClient, Clients: []int{1 + r.IntN(f.Clients)}}
		// A tenth of the TTL is how long the next fault waits anyway.
		at += min(s.For, duration) + longest/10 + 100*time.Millisecond + time.Duration(r.Int64N(int64(200*time.Millisecond)))
		if at > duration {
			break
		}
		steps = append(steps, s)
	}
	if len(steps) == deaths {
		return nil, fmt.Errorf("%s leave no room for a stop and %d deaths with a TTL of %s: at least %s", duration, deaths, longest,
			(time.Duration(deaths)*room + 10*time.Second).Round(time.Second))
	}
	return steps, nil
}

// Check returns an error if the duration has no room for a stop beside the deaths, with the
// longest TTL.
func (f Faults) Check(duration, longest time.Duration) error {
	_, err := f.draw(duration, longest)
	return err
}

// write draws the schedule and writes it to a file.
func (f Faults) write(path string, duration, longest time.Duration) error {
	steps, err := f.draw(duration, longest)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(nemesis.WriteSchedule(file, steps), file.Close())
}
