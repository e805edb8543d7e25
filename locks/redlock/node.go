package redlock

import (
	"context"
	"errors"
	"fmt"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/rediscmd"
	"locktorture/locks/redisconn"
)

// A node holds one client's connections to one server.
type node struct {
	cfg     Config
	rdb     rediscmd.Client
	release *goredis.Script
}

// A vote is a node's answer to a request.
type vote int

const (
	silent  vote = iota // no answer, or an unclear one: the request may still be carried out
	granted             // the request was carried out
	refused             // the node answered, and nothing changed
)

// newNode makes the client of one server, whose requests time out after the node timeout.
func newNode(cfg Config, addr string) *node {
	return &node{
		cfg: cfg, release: redisconn.ReleaseScript(),
		rdb: redisconn.Open(addr, cfg.NodeTimeout, cfg.Access, cfg.Dial),
	}
}

// set requests the lock on the node.
func (n *node) set(ctx context.Context, key, owner string) (vote, error) {
	err := n.rdb.Do(ctx, "SET", key, owner, "NX", "PX", n.cfg.TTL.Milliseconds()).Err()
	if errors.Is(err, goredis.Nil) {
		return refused, nil
	}
	return voteOf(1, err)
}

// unset deletes the lock if it still has the owner's value.
func (n *node) unset(ctx context.Context, key, owner string) (vote, error) {
	return heldVote(n.release.Run(ctx, n.rdb, []string{key}, owner).Int64())
}

// heldVote returns the vote of a node that may store the key. A node that was not asked, or
// that could not delete the key, may still store it, so an error counts as silence.
func heldVote(count int64, err error) (vote, error) {
	if err != nil {
		return silent, err
	}
	return voteOf(count, nil)
}

// voteOf turns the result of a request into a vote. An error that is not certain counts as silence.
func voteOf(count int64, err error) (vote, error) {
	switch {
	case err == nil && count > 0:
		return granted, nil
	case err == nil, redisconn.Certain(err):
		return refused, err
	}
	return silent, err
}

// A request is sent to every node.
type request func(ctx context.Context, n *node) (vote, error)

// A tally counts the votes of all nodes.
type tally struct {
	votes [3]int
	of    []vote
	// err is the error of the first node that did not answer, or nil if all did.
	err error
}

// ask asks all nodes in parallel and waits until each has answered or timed out. It outlives the
// caller's context by at most that timeout.
func (r *Redlock) ask(ctx context.Context, q request) tally {
	t := tally{of: make([]vote, len(r.nodes))}
	errs := make([]error, len(r.nodes))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.cfg.NodeTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for i, n := range r.nodes {
		wg.Go(func() {
			var err error
			if t.of[i], err = q(ctx, n); t.of[i] == silent {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	for _, v := range t.of {
		t.votes[v]++
	}
	for i, err := range errs {
		if err != nil {
			t.err = fmt.Errorf("%s did not answer: %w", r.cfg.Addrs[i], err)
			break
		}
	}
	return t
}
