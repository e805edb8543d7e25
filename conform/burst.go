package conform

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A Burst is a set of simultaneous puts that all expect the same value of one key.
type Burst struct {
	Kind    string `json:"kind"` // "If-None-Match", "If-Match", "DELETE If-Match"
	Fault   string `json:"fault"`
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"` // value that all puts expected
	Winners []int  `json:"winners"`         // numbers of clients, from 1
	Asked   int    `json:"asked"`
	Unknown int    `json:"unknown"` // puts that were not answered
	Silent  int    `json:"silent"`  // puts refused with another answer than 412 or 404
	Why     string `json:"why,omitempty"`
	At      int64  `json:"at"` // ns since the start
	Overlap bool   `json:"overlap"`

	// In a burst of Deletion: the delete was sent, and was refused with another answer than 412 or 404.
	deleted, refused bool
}

// The kinds of bursts. In one of Deletion a client deletes, and all others put.
const (
	Creation    = "If-None-Match"
	Replacement = "If-Match"
	Deletion    = "DELETE If-Match"
)

// stages returns the kinds of bursts for one key, in order.
func (c Config) stages() []string {
	s := []string{Creation, Replacement, Replacement}
	if c.Deletes {
		s = append(s, Deletion)
	}
	return s
}

// key carries out all bursts of one key.
func (t *test) key(ctx context.Context, key, fault string) {
	was := make([]seen, len(t.clients)) // the key does not exist yet
	can := make([]bool, len(t.clients))
	for i := range can {
		can[i] = true
	}
	t.prepare(ctx, key, was, can) // it also opens the connections
	for _, stage := range t.stages() {
		t.bursts = append(t.bursts, t.burst(ctx, key, stage, fault, was, can))
		t.prepare(ctx, key, was, can)
		if ctx.Err() != nil {
			return
		}
	}
}

// prepare lets every client read the key. A client that gets no answer, or finds nothing
// although the key should exist, does not take part in the next burst.
func (t *test) prepare(ctx context.Context, key string, was []seen, can []bool) {
	t.each(func(i int, c *client) { was[i], can[i] = c.read(ctx, key) })
}

// burst lets all clients that take part put at the same time, while the fault is in place.
func (t *test) burst(ctx context.Context, key, stage, fault string, was []seen, can []bool) Burst {
	heal := t.strike(fault)
	puts, deletes := make([]*put, len(t.clients)), -1
	if stage == Deletion {
		deletes = t.rand.IntN(len(t.clients))
	}
	ready, start := new(sync.WaitGroup), make(chan struct{})
	ready.Add(len(t.clients))
	go func() { ready.Wait(); close(start) }()
	t.each(func(i int, c *client) {
		ready.Done()
		<-start
		switch {
		case !can[i] || (stage == Creation) != (was[i].etag == ""):
		case i == deletes:
			puts[i] = new(c.remove(ctx, key, was[i]))
		default:
			puts[i] = new(c.swap(ctx, key, was[i]))
		}
	})
	heal()
	b := summary(Burst{Kind: stage, Fault: fault, Key: key}, puts)
	if deletes >= 0 && puts[deletes] != nil {
		p := puts[deletes]
		b.deleted, b.refused = true, p.kind == fail && p.why != ""
	}
	return b
}

// summary counts the puts that expected the most frequent value. In a consistent store these
// are all puts.
func summary(b Burst, puts []*put) Burst {
	counts := map[string]int{}
	for _, p := range puts {
		if p == nil {
			continue
		}
		counts[p.expect]++
		if counts[p.expect] > counts[b.Value] {
			b.Value = p.expect
		}
	}
	var last time.Duration // end of the last put so far
	same := slices.DeleteFunc(slices.Clone(puts), func(p *put) bool { return p == nil || p.expect != b.Value })
	slices.SortFunc(same, func(p, q *put) int { return cmp.Compare(p.call, q.call) })
	for _, p := range same {
		b.Asked++
		switch {
		case p.kind == ok:
			b.Winners = append(b.Winners, p.client)
		case p.kind == info:
			b.Unknown, b.Why = b.Unknown+1, p.why
		case p.why != "":
			b.Silent, b.Why = b.Silent+1, p.why
		}
		if b.Asked == 1 {
			b.At = p.call.Nanoseconds()
		} else if p.call <= last {
			b.Overlap = true
		}
		last = max(last, p.end)
	}
	return b
}

// each runs a function for every client, concurrently, and returns when all have returned.
func (t *test) each(do func(i int, c *client)) {
	var wg sync.WaitGroup
	for i, c := range t.clients {
		wg.Go(func() { do(i, c) })
	}
	wg.Wait()
}

// way is the delay of each request and each answer in bursts with cut connections, so that the
// cut comes in time.
const way = 4 * time.Millisecond

// strike puts a fault in place for one burst and returns what ends it.
func (t *test) strike(fault string) (heal func()) {
	switch fault {
	case Latency:
		for _, c := range t.clients {
			if d := time.Duration(t.rand.IntN(20_000)) * time.Microsecond; d > 0 {
				t.note(c.link.Slow(d, 0))
			}
		}
		return t.heal
	case Cut:
		half := t.rand.Perm(len(t.clients))[:(len(t.clients)+1)/2]
		for _, c := range t.clients { // all, so that each may win
			t.note(c.link.Slow(way, 0))
		}
		late := time.Duration(t.rand.Int64N(int64(2 * way))) // before the request arrives, or before the answer does
		long := time.Duration(20+t.rand.IntN(40)) * time.Millisecond
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(late)
			for _, i := range half {
				t.note(t.clients[i].link.Cut())
			}
			time.Sleep(long)
			t.heal() // this closes the connections, so that waiting clients notice that no answer comes
		}()
		return func() { <-done }
	}
	return func() {}
}

// heal ends the faults of all links.
func (t *test) heal() {
	for _, c := range t.clients {
		t.note(c.link.Heal())
	}
}

// source returns the random source of a test.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
