package app

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/cluster"
	"locktorture/internal/suggest"
	"locktorture/wire"
	"locktorture/wire/protocols"
)

// sessioned lists the protocols whose servers close every connection when they are demoted. So one
// that has acknowledged two effects on a connection led all the time between them. PostgreSQL has
// to start anew to follow another; a Redis goes on with the connections that it has.
func sessioned() []string { return []string{"postgres"} }

func (r reader) serves(n *yaml.Node) error {
	return r.Each(n, nil, func(key, v *yaml.Node) error {
		if err := suggest.Among(key.Value, sessioned()); err != nil {
			return r.Wrong(key, "serves: %v: only for these servers does torture know what a demotion does to connections", err)
		}
		addr, err := r.Text(v)
		if !strings.Contains(addr, ":") {
			addr = "127.0.0.1:" + addr
		}
		r.f.Serves = append(r.f.Serves, Service{key.Value, addr})
		return err
	})
}

// serviceOf names the service of a replica for others: postgres_2.
func serviceOf(protocol string, r *replica) string {
	return protocol + "_" + r.values[varReplica]
}

// serve puts a link before each service of a replica, by which others reach it.
func (s *stage) serve(r *replica) error {
	for _, service := range s.file.Serves {
		l, err := cluster.NewLink(cluster.Plain, "127.0.0.1:0", r.values.in(service.Addr), uint64(r.number))
		if err != nil {
			return err
		}
		s.links = append(s.links, l)
		l.Tap(s.servedBy(r, service.Protocol))
		s.services.server(serviceOf(service.Protocol, r), service.Protocol, []string{l.Addr()})
	}
	return nil
}

// servedBy returns what sees the effects that a replica acknowledges on a link to it.
func (s *stage) servedBy(r *replica, protocol string) cluster.Tap {
	e := &effects{stage: s, conns: map[int]*spoken{}}
	return &wire.Observer{
		Decoder: func(cluster.Way) wire.Decoder { return protocols.New(nil).For(protocol) },
		See: func(_ cluster.Way, conn int, m wire.Message) func() {
			return e.said(r, protocol, protocol, conn, m)
		},
	}
}
