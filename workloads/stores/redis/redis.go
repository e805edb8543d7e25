// Package redis stores the data that a lock protects in a Redis. The script that reads or writes
// also checks the fencing token, so that no other operation can come between.
package redis

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/rediscmd"
	"locktorture/workloads"
)

//go:embed do.lua
var doText string

// A Store is a Resource in a Redis database of its own.
type Store struct {
	rdb rediscmd.Client
	do  *goredis.Script
}

var _ workloads.Resource = (*Store)(nil)

// Open connects to the Redis at addr. It never sends an operation twice, because the operation
// might then be applied twice.
func Open(ctx context.Context, addr string) (*Store, error) {
	s := &Store{
		rdb: rediscmd.Open(rediscmd.Server{Addr: addr, Pool: 20}),
		do:  goredis.NewScript(doText),
	}
	if err := s.do.Load(ctx, s.rdb).Err(); err != nil {
		_ = s.rdb.Close()
		return nil, fmt.Errorf("open redis store: %w", err)
	}
	return s, nil
}

// Do applies one operation, or refuses it with an error that wraps ErrStale or ErrConflict.
func (s *Store) Do(ctx context.Context, op workloads.Access) (string, int64, error) {
	space, token, kind, when := "plain:", "", "read", ""
	if op.Fenced {
		space, token = "fenced:", strconv.FormatUint(op.Token, 10)
	}
	if op.Write {
		kind = "write"
	}
	if op.Guard != "" {
		when = "if"
	}
	keys := []string{space + op.Key, "mark:" + op.Lock, "applied", space + op.Guard}
	answer, err := s.do.Run(ctx, s.rdb, keys, token, kind, op.Value, when, op.Want).Slice()
	if err != nil {
		return "", 0, fmt.Errorf("redis store: %w", err)
	}
	if len(answer) != 3 {
		return "", 0, fmt.Errorf("redis store: %d answers, not 3", len(answer))
	}
	value := fmt.Sprint(answer[1])
	switch fmt.Sprint(answer[0]) {
	case "stale":
		return "", 0, fmt.Errorf("lock %s: token %d is older than %s: %w", op.Lock, op.Token, value, workloads.ErrStale)
	case "conflict":
		return "", 0, fmt.Errorf("%s holds %q, not %q: %w", op.Guard, value, op.Want, workloads.ErrConflict)
	}
	n, ok := answer[2].(int64)
	if !ok {
		return "", 0, fmt.Errorf("redis store: count %v is no number", answer[2])
	}
	return value, n, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.rdb.Close() }
