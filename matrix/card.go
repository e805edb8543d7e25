package matrix

import (
	"io"
	"slices"
	"strings"

	"locktorture/registry"
	"locktorture/report/scorecard"
)

// card writes the score card of the matrix.
func (m *Matrix) card(w io.Writer, rows []scorecard.Row) error {
	c := scorecard.Card{When: m.start, Commit: m.config.Commit, Rows: rows, Claims: usualClaims(), Trend: slices.Concat(m.past, m.fresh)}
	for _, name := range m.config.Backends {
		if a, ok := m.config.Apps[name]; ok {
			c.Locks = append(c.Locks, scorecard.Lock{Name: name, About: "the program of " + a.Path, Family: "programs", Reentrancy: "no"})
			continue
		}
		c.Locks = append(c.Locks, lockOf(name, m.config.Locks[name]))
	}
	return scorecard.Write(w, c)
}

// lockOf returns what a backend declares, for a score card.
func lockOf(name string, b registry.Backend) scorecard.Lock {
	l := scorecard.Lock{Name: name, About: b.About, Family: familyOf(b), Clock: b.Traits.Clock, Reentrancy: "no"}
	switch {
	case b.Driver != nil:
		l.Reentrancy = "declared by its driver"
	case b.Traits.Reentrant:
		l.Reentrancy = "yes"
	}
	return l
}

// familyOf says which line of the comparison tables a lock belongs to, by the
// servers that it runs on.
func familyOf(b registry.Backend) string {
	for _, f := range []struct{ topology, family string }{
		{"redis-5", "Redlock"}, {"redis-mariadb", "Redis with a database"}, {"redis", "Redis"}, {"sentinel", "Redis"}, {"etcd", "etcd"},
		{"zookeeper", "ZooKeeper"}, {"consul", "Consul"}, {"mariadb", "database"}, {"postgres", "database"}, {"pgbouncer", "database"}, {"galera", "database"},
		{"memcached", "memcached"}, {"s3", "object store"}, {"kubernetes", "Kubernetes"}, {"directory", "file system"}, {"nats", "NATS"}, {"dynalite", "DynamoDB's API"},
	} {
		if strings.HasPrefix(b.Topology, f.topology) {
			return f.family
		}
	}
	return "controls"
}
