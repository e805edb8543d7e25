package thirdparty_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/thirdparty"
)

func openRW(t *testing.T, c *cluster.Cluster) *thirdparty.EtcdRW {
	t.Helper()
	e, err := thirdparty.NewEtcdRW(thirdparty.EtcdConfig{Endpoints: c.Endpoints(1), TTL: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func direct(t *testing.T, c *cluster.Cluster) *clientv3.Client {
	t.Helper()
	d, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// writes waits until so many writers have a key, and returns that of the latest.
func writes(t *testing.T, d *clientv3.Client, want int64) clientv3.LeaseID {
	t.Helper()
	for ctx := within(t, 2*time.Minute); ; time.Sleep(time.Millisecond) {
		r, err := d.Get(ctx, "lock/x/write", clientv3.WithLastCreate()...)
		if err != nil {
			t.Fatal(err)
		}
		if r.Count == want {
			return clientv3.LeaseID(r.Kvs[0].Lease)
		}
	}
}

// A writer whose session ends while it waits is granted the lock as soon as those before it
// are gone, beside whoever holds it then (etcd#16221). Its loss is told.
func TestEndedWriterIsGrantedTheLock(t *testing.T) {
	c := start(t)
	d := direct(t, c)
	first, err := openRW(t, c).Acquire(within(t, 10*time.Second), "x")
	if err != nil {
		t.Fatal(err)
	}
	granted := make(chan locks.Lease, 2)
	wait := func(keys int64) clientv3.LeaseID {
		e := openRW(t, c)
		go func() {
			l, err := e.Acquire(within(t, 30*time.Second), "x")
			if err != nil {
				t.Error(err)
			}
			granted <- l
		}()
		return writes(t, d, keys)
	}
	second := wait(2)
	wait(3)
	if _, err := d.Revoke(within(t, 10*time.Second), second); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	lost := 0
	for range 2 { // neither has released
		l := <-granted
		if l == nil {
			return
		}
		select {
		case <-l.(locks.Watched).Lost():
			lost++
		case <-time.After(3 * time.Second):
		}
	}
	if lost != 1 {
		t.Errorf("%d of two holders were told their loss, want the one whose session had ended", lost)
	}
}

// A second RLock of one RWMutex forgets the key of the first, which stays until the session
// ends. So each lease of the adapter has an RWMutex of its own.
func TestSecondRLockLeavesAKey(t *testing.T) {
	c := start(t)
	d := direct(t, c)
	s, err := concurrency.NewSession(d)
	if err != nil {
		t.Fatal(err)
	}
	m := recipe.NewRWMutex(s, "twice")
	for _, call := range []func() error{m.RLock, m.RLock, m.RUnlock, m.RUnlock} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := d.Get(within(t, 10*time.Second), "twice/", clientv3.WithPrefix())
	if err != nil || r.Count != 1 {
		t.Errorf("%d keys are left (%v), want 1: does the library keep both now?", r.Count, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := d.Get(within(t, 10*time.Second), "twice/", clientv3.WithPrefix()); err != nil || r.Count != 0 {
		t.Errorf("%d keys are left after the end of the session (%v)", r.Count, err)
	}
}
