package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/s3"
)

// objectLocks returns the locks in an object store.
func objectLocks() map[string]Backend {
	return map[string]Backend{
		"s3-lock": onObjects("PUT If-None-Match of an object, like use_lockfile of Terraform and OpenTofu; no expiry", s3.Traits(), s3.NewProbe,
			func(c s3.Config) locks.Locker { return s3.New(c) }),
		"s3-lease": onObjects("a record with token and TTL, renewed and taken over by PUT If-Match; waiters measure the TTL themselves", s3.LeaseTraits(), s3.NewProbe,
			func(c s3.Config) locks.Locker { return s3.NewLease(c) }),
		"s3-lease-expiry": onObjects("s3-lease, but the record has the time at which the lease ends, by the holder's clock", s3.ExpiringTraits(), s3.NewExpiringProbe,
			func(c s3.Config) locks.Locker { return s3.NewExpiring(c) }),
	}
}

// onObjects returns a backend on one object store.
func onObjects(about string, t locks.Traits, probe func(s3.Config, string) *s3.Probe, open func(s3.Config) locks.Locker) Backend {
	return Backend{
		About: about, Topology: "s3", Elsewhere: []string{"s3-gofakes3"}, Traits: t, Retry: 20 * time.Millisecond,
		ProbeWith: func(c *cluster.Cluster, a Args) (locks.Prober, error) {
			return probe(s3.Config{Addr: c.Nodes[0].Addr(), Access: a.Access}, c.Nodes[0].Name()), nil
		},
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(s3.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
		},
	}
}
