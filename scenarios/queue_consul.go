//go:build !wasip1 && !simulated

package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/consul/api"

	"locktorture/locks"
)

// A consulQueue is the keys of a semaphore in Consul that belong to sessions, by their age.
type consulQueue struct {
	client *api.Client
	lock   string
}

// entries are the sessions of the contenders.
func (q consulQueue) entries(ctx context.Context) ([]string, error) {
	pairs, _, err := q.client.KV().List(locks.Key("lock/", q.lock)+"/", (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", q.lock, err)
	}
	slices.SortFunc(pairs, func(a, b *api.KVPair) int { return cmp.Compare(a.CreateIndex, b.CreateIndex) })
	var sessions []string
	for _, p := range pairs {
		if p.Session != "" {
			sessions = append(sessions, p.Session)
		}
	}
	return sessions, nil
}

func (q consulQueue) end(ctx context.Context, session string) error {
	_, err := q.client.Session().Destroy(session, (&api.WriteOptions{}).WithContext(ctx))
	return err
}
