//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktorture/locks"
)

// openEtcd returns a client of the servers themselves, which is open until the end of the script.
func (v *Servers) openEtcd() (*clientv3.Client, error) {
	if v.etcd != nil {
		return v.etcd, nil
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: v.cluster.Endpoints(0), DialTimeout: patience, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("etcd client: %w", err)
	}
	v.etcd = c
	v.stage.later(func(context.Context) error { return c.Close() })
	return c, nil
}

// An etcdQueue is the list of keys of a lock, an election or a read–write lock in etcd, by age.
type etcdQueue struct {
	client *clientv3.Client
	lock   string
}

// entries returns the sessions of the keys: their leases, in hex.
func (q etcdQueue) entries(ctx context.Context) ([]string, error) {
	r, err := q.client.Get(ctx, locks.Key("lock/", q.lock)+"/", clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", q.lock, err)
	}
	var sessions []string
	for _, kv := range r.Kvs {
		sessions = append(sessions, strconv.FormatInt(kv.Lease, 16))
	}
	return sessions, nil
}

func (q etcdQueue) end(ctx context.Context, session string) error {
	id, err := strconv.ParseInt(session, 16, 64)
	if err != nil {
		return err
	}
	_, err = q.client.Revoke(ctx, clientv3.LeaseID(id))
	return err
}

// Compact makes etcd discard old revisions, as operators let it do every few minutes. It first
// makes two changes to another key, so that a watch without events since then is behind.
func (v *Servers) Compact() {
	v.stage.step("compact", func(ctx context.Context) error {
		c, err := v.openEtcd()
		if err != nil {
			return err
		}
		var revision int64
		for range 2 {
			r, err := c.Put(ctx, "beside/"+v.stage.Lock, "changed")
			if err != nil {
				return err
			}
			revision = r.Header.Revision
		}
		_, err = c.Compact(ctx, revision, clientv3.WithCompactPhysical())
		return err
	})
}
