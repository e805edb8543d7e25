package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
)

// An entry is a place in the queue for a lock: a key of a session. The creation revisions of the
// keys define the order.
type entry struct {
	n      *session
	prefix string
	slot   int
	key    string
	owner  string
	// created is the revision of the key, and 0 until the key is known to exist.
	created int64
	// doubt reports that a put of the key was not answered and may still be carried out.
	doubt bool
}

// newEntry returns an entry with a key that no other call of this session uses, since each call
// takes a slot of its own.
func newEntry(n *session, name, owner string) *entry {
	slot := n.slots.take()
	return &entry{n: n, prefix: prefix(name), slot: slot, key: fmt.Sprintf("%s%x.%d", prefix(name), n.id, slot), owner: owner}
}

// A place is the position of an entry.
type place struct {
	// before is the key of the predecessor, or "" if the entry is the first.
	before string
	// revision is the store's revision of the read. A watch from this revision on misses no
	// change.
	revision int64
}

// errGone reports that the entry's own key no longer exists.
var errGone = fmt.Errorf("%w: own key is gone", locks.ErrNotAcquired)

// youngest returns the operation that reads the two youngest keys of the queue. Right after the
// creation of an entry these are its own key and its predecessor's.
func (e *entry) youngest(more ...clientv3.OpOption) clientv3.Op {
	return clientv3.OpGet(e.prefix, append([]clientv3.OpOption{
		clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(2),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortDescend),
	}, more...)...)
}

// create puts the key into the queue; the same transaction returns its place.
func (e *entry) create(ctx context.Context) (place, error) {
	ctx, cancel := e.n.context(ctx)
	defer cancel()
	put := clientv3.OpPut(e.key, e.owner, clientv3.WithLease(e.n.id))
	r, again, err := insist(ctx, e.n.server, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return e.n.server.etcd.Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(e.key), "=", 0)).
			Then(put, e.youngest()).
			Else(clientv3.OpGet(e.key)).
			Commit()
	})
	e.doubt = again
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		e.n.expire()
	}
	if err != nil {
		return place{}, err
	}
	if !r.Succeeded { // an unanswered earlier try has put the key
		there := r.Responses[0].GetResponseRange().Kvs[0]
		if string(there.Value) != e.owner {
			return place{}, errGone
		}
		e.created = there.CreateRevision
		return e.look(ctx)
	}
	e.created = r.Header.Revision
	return e.placeIn(r.Responses[1].GetResponseRange().Kvs, r.Header.Revision)
}

// look reads the entry's place. The read is linearizable.
func (e *entry) look(ctx context.Context) (place, error) {
	ctx, cancel := e.n.context(ctx)
	defer cancel()
	r, _, err := insist(ctx, e.n.server, func(ctx context.Context) (clientv3.OpResponse, error) {
		return e.n.server.etcd.Do(ctx, e.youngest(clientv3.WithMaxCreateRev(e.created)))
	})
	if err != nil {
		return place{}, err
	}
	return e.placeIn(r.Get().Kvs, r.Get().Header.Revision)
}

// placeIn computes the place from the two youngest keys that are not younger than the entry's own.
func (e *entry) placeIn(keys []*mvccpb.KeyValue, revision int64) (place, error) {
	if len(keys) == 0 || string(keys[0].Key) != e.key {
		return place{}, errGone
	}
	p := place{revision: revision}
	if len(keys) > 1 {
		p.before = string(keys[1].Key)
	}
	return p, nil
}

// await waits until the predecessor is gone, but at most one TTL, because a watch over a silent
// link receives nothing.
func (e *entry) await(ctx context.Context, p place) error {
	wctx, cancel := e.n.context(ctx)
	defer cancel()
	watch := e.n.server.etcd.Watch(clientv3.WithRequireLeader(wctx), p.before,
		clientv3.WithRev(p.revision+1), clientv3.WithFilterPut())
	limit, stop := e.n.server.cfg.Clock.After(e.n.ttl)
	defer stop()
	for {
		select {
		case r, ok := <-watch:
			if len(r.Events) > 0 {
				return nil
			}
			if !ok || r.Err() != nil { // no leader, or the revision is compacted: read the queue again
				e.n.server.pause(wctx, retry)
				return wctx.Err()
			}
		case <-limit:
			return nil
		case <-wctx.Done():
			return wctx.Err()
		}
	}
}

// remove deletes the key. Its error wraps locks.ErrNotHeld if the key was gone already. If an
// unanswered try of this call may have deleted the key, remove succeeds.
func (e *entry) remove(ctx context.Context) error {
	ctx, cancel := e.n.context(ctx)
	defer cancel()
	r, again, err := insist(ctx, e.n.server, func(ctx context.Context) (*clientv3.DeleteResponse, error) {
		return e.n.server.etcd.Delete(ctx, e.key)
	})
	switch {
	case e.n.gone.Load():
		return fmt.Errorf("%w: lease has ended", locks.ErrNotHeld)
	case err != nil:
		return err
	}
	if !again && !e.doubt {
		e.n.slots.back(e.slot)
	}
	if r.Deleted == 0 && !again {
		return fmt.Errorf("%w: own key is gone", locks.ErrNotHeld)
	}
	return nil
}
