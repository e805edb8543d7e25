//go:build !wasip1 && !simulated

package scenarios

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"locktorture/locks"
)

// A consulQueue is the list of keys of a semaphore in Consul that belong to sessions, by age.
type consulQueue struct {
	addr string // address of an agent
	lock string
}

// A consulPair is one of the keys.
type consulPair struct {
	Session     string
	CreateIndex uint64
}

// entries returns the sessions of the contenders.
func (q consulQueue) entries(ctx context.Context) ([]string, error) {
	var pairs []consulPair
	if err := q.ask(ctx, http.MethodGet, "kv/"+locks.Key("lock/", q.lock)+"/?recurse&consistent", &pairs); err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", q.lock, err)
	}
	slices.SortFunc(pairs, func(a, b consulPair) int { return cmp.Compare(a.CreateIndex, b.CreateIndex) })
	var sessions []string
	for _, p := range pairs {
		if p.Session != "" {
			sessions = append(sessions, p.Session)
		}
	}
	return sessions, nil
}

func (q consulQueue) end(ctx context.Context, session string) error {
	return q.ask(ctx, http.MethodPut, "session/destroy/"+session, new(bool))
}

// ask sends the agent a request. Missing keys give an empty list.
func (q consulQueue) ask(ctx context.Context, method, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+q.addr+"/v1/"+path, nil)
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	switch r.StatusCode {
	case http.StatusOK:
		return json.NewDecoder(r.Body).Decode(answer)
	case http.StatusNotFound:
		return nil
	}
	return fmt.Errorf("%s %s: Consul says %s", method, path, r.Status)
}
