package locktest_test

import (
	"errors"
	"testing"

	"locktorture/internal/testenv"
	"locktorture/locks"
	"locktorture/locks/mysql"
)

// galeraConfig is patient: all nodes agree before a table is made.
func galeraConfig(addr, owner string) mysql.Config {
	c := mysqlConfig(addr, owner)
	c.Timeout = testenv.Patience
	return c
}

// TestGalera asks two nodes of one cluster for one lock: that takes seconds. The contract as a
// whole is tested on one MariaDB. It asks for what a row in Galera does not give: that who asks
// another node sees at once what was released.
func TestGalera(t *testing.T) {
	t.Parallel()
	w := start(t, "galera-3")
	for name, open := range map[string]func(mysql.Config) locks.Locker{
		"galera-get-lock":   func(c mysql.Config) locks.Locker { return mysql.NewGetLock(c) },
		"galera-for-update": func(c mysql.Config) locks.Locker { return mysql.NewForUpdate(c) },
	} {
		t.Run(name, func(t *testing.T) {
			grantedBeside(t, w, func(addr, owner string) locks.Locker { return open(galeraConfig(addr, owner)) })
		})
	}
	t.Run("galera-unique-ttl", func(t *testing.T) {
		first := mysql.NewUniqueTTL(galeraConfig(w.cluster.Endpoints(1)[0], "p1"))
		second := mysql.NewUniqueTTL(galeraConfig(w.cluster.Endpoints(2)[0], "p2"))
		t.Cleanup(func() { first.Close(); second.Close() })
		l, err := first.Acquire(t.Context(), "row")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.TryAcquire(t.Context(), "row"); !errors.Is(err, locks.ErrNotAcquired) {
			t.Errorf("try on another node: %v, want ErrNotAcquired", err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if l, err = second.Acquire(t.Context(), "row"); err != nil {
			t.Fatal(err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
