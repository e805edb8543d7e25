package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/toxiproxy"
	"locktorture/internal/s3api"
)

// ErrUnusable is wrapped by errors that say that a store cannot be asked at all.
var ErrUnusable = errors.New("the store cannot be used")

// A test is a test in progress.
type test struct {
	Config
	clients []*client
	rec     *recorder
	rand    *rand.Rand
	bursts  []Burst

	mu  sync.Mutex
	err error // of a fault that could not be injected or healed
}

// A Run is the record of a test, before it is judged.
type Run struct {
	Config Config
	Server string // what the store calls itself; "": it does not
	Took   time.Duration
	Left   error // why objects of the test are still in the store; nil: they are deleted
	bursts []Burst
	ended  bool // it was not interrupted
}

// Do tests a store and writes the history. It returns ErrUnusable, or an error of the harness. A
// store that does not let the test delete its objects can be judged all the same, see Run.Left.
func Do(ctx context.Context, cfg Config, history io.Writer) (Run, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Run{}, err
	}
	t := &test{Config: cfg, rec: newRecorder(history), rand: source(cfg.Seed)}
	defer t.close()
	run := Run{Config: cfg}
	if run.Server, err = t.open(ctx); err != nil {
		return run, err
	}
	start := time.Now()
	t.play(ctx)
	run.Took, run.bursts, run.ended = time.Since(start), t.bursts, ctx.Err() == nil
	run.Left = t.sweep(context.WithoutCancel(ctx))
	return run, errors.Join(t.err, t.rec.close())
}

// open opens the clients, each at one of the endpoints in turn, and asks each endpoint once.
func (t *test) open(ctx context.Context) (server string, err error) {
	var ends []endpoint
	for n, text := range t.Endpoints {
		e, err := readEndpoint(text)
		if err != nil {
			return "", fmt.Errorf("endpoint %d: %w", n+1, err)
		}
		s := t.store(e, e.addr)
		name, err := s.Server(ctx)
		inUse := t.fresh(ctx, s)
		s.Close()
		switch {
		case err != nil:
			return "", fmt.Errorf("endpoint %d: %w: %w", n+1, ErrUnusable, err)
		case inUse != nil:
			return "", inUse
		}
		server, ends = name, append(ends, e)
	}
	for i := range t.Clients {
		e := ends[i%len(ends)]
		link, err := cluster.NewLink(toxiproxy.Forward, "127.0.0.1:0", e.addr, t.Seed+uint64(i))
		if err != nil {
			return "", err
		}
		t.clients = append(t.clients, &client{
			number: i, of: t.Clients, process: i, store: t.store(e, link.Addr()), link: link, rec: t.rec, timeout: t.Timeout,
		})
	}
	return server, nil
}

// fresh returns an error if the store has keys with the prefix of the test, which takes all of its keys
// for absent, and deletes them at the end. A store that refuses the list is judged all the same.
func (t *test) fresh(ctx context.Context, s *s3api.Store) error {
	if keys, err := s.List(ctx, t.Prefix); err == nil && len(keys) > 0 {
		return fmt.Errorf("%w: there are objects whose keys begin with the prefix %s, such as %s; choose another prefix, or delete them", ErrUsage, t.Prefix, keys[0])
	}
	return nil
}

// play plays all bursts, and first asks without any haste, so that what ignores a condition is
// found by its plainest sign.
func (t *test) play(ctx context.Context) {
	t.plain(ctx)
	for _, fault := range t.Faults {
		for n := range t.Keys {
			if ctx.Err() != nil || t.failed() {
				return
			}
			t.key(ctx, t.Prefix+fault+"-"+strconv.Itoa(n+1), fault)
		}
	}
}

// plain asks one request after the other.
func (t *test) plain(ctx context.Context) {
	c, key := t.clients[0], t.Prefix+"plain"
	c.swap(ctx, key, seen{})
	c.swap(ctx, key, seen{}) // it is there
	was, _ := c.read(ctx, key)
	if was.etag == "" {
		return
	}
	c.swap(ctx, key, was)
	c.swap(ctx, key, was)           // it has been replaced
	c.swap(ctx, key+"-absent", was) // it was never there
	if t.Deletes {
		c.remove(ctx, key, was) // it has been replaced
	}
	c.read(ctx, key)
}

// sweep deletes all objects of the test.
func (t *test) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	e, err := readEndpoint(t.Endpoints[0])
	if err != nil {
		return err
	}
	s := t.store(e, e.addr)
	defer s.Close()
	keys, err := s.List(ctx, t.Prefix)
	for _, key := range keys {
		if derr := s.Delete(ctx, key, s3api.Condition{}); err == nil {
			err = derr
		}
	}
	if err != nil {
		return fmt.Errorf("keys that begin with %s could not be deleted: %w", t.Prefix, err)
	}
	return nil
}

func (t *test) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && err != nil {
		t.err = err
	}
}

func (t *test) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err != nil
}

func (t *test) close() {
	for _, c := range t.clients {
		c.store.Close()
		c.link.Close()
	}
}
