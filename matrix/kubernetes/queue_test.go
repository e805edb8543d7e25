package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"locktorture/report/scorecard"
)

// A testQueue is a plan.
type testQueue struct {
	mu    sync.Mutex
	tries []scorecard.Try
	begun map[string]int
	ended map[string]scorecard.Try
	told  chan string
}

func newQueue(n int) *testQueue {
	q := &testQueue{begun: map[string]int{}, ended: map[string]scorecard.Try{}, told: make(chan string, 10*n)}
	for i := range n {
		q.tries = append(q.tries, scorecard.Try{Backend: "redis-set", Nemesis: "none", Workload: "counter", Seed: uint64(i), State: scorecard.NotRun,
			Args: []string{"--backend", "redis-set", "--workload", "counter", "--nemesis", "none", "--duration", "10s", "--ttl", "2s", "--clients", "5", "--seed", strconv.Itoa(i), "--cluster", "auto"}})
	}
	return q
}

func (q *testQueue) Next(ctx context.Context) (t scorecard.Try, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.tries) == 0 || ctx.Err() != nil {
		return t, false
	}
	t, q.tries = q.tries[0], q.tries[1:]
	return t, true
}

func (q *testQueue) Begin(t scorecard.Try) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun[nameOf(t)]++
}

func (q *testQueue) End(t scorecard.Try) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if was, before := q.ended[nameOf(t)]; before && was.State != scorecard.NotRun {
		panic("a try has ended twice: " + nameOf(t))
	}
	q.ended[nameOf(t)] = t
	q.told <- nameOf(t)
}

// of returns what became of the try of an index.
func (q *testQueue) of(i int) scorecard.Try {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended[fmt.Sprintf("redis-set none counter %d", i)]
}

// errAway is what a client says of an API server that is away.
var errAway = &netError{errors.New("connect: connection refused")}
