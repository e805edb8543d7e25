package workloads

import (
	"context"
	"testing"
)

// upgrading is a store of a lock that supports upgrades.
type upgrading struct {
	Store
	calls []string
}

func (*upgrading) Upgrades() bool { return true }

func (u *upgrading) Upgrade(context.Context) (bool, error) {
	u.calls = append(u.calls, "upgrade")
	return true, nil
}

func (u *upgrading) Downgrade(context.Context) error {
	u.calls = append(u.calls, "downgrade")
	return nil
}

// A section of one of several objects can upgrade its lease like any other.
func TestKeyedUpgrades(t *testing.T) {
	if upgrader(keyedStore{struct{ Store }{}, 1}) != nil {
		t.Error("a lock without upgrades has them")
	}
	s := &upgrading{}
	u := upgrader(keyedStore{s, 2})
	if u == nil {
		t.Fatal("a lock with upgrades has none")
	}
	if ok, err := u.Upgrade(t.Context()); !ok || err != nil {
		t.Error(ok, err)
	}
	if err := u.Downgrade(t.Context()); err != nil || len(s.calls) != 2 {
		t.Error(s.calls, err)
	}
}
