// Package protocols knows which servers speak what, and who decodes it.
package protocols

import (
	"strings"

	"locktorture/wire"
	"locktorture/wire/redis"
)

// Of is the protocol in which a server, by the name of its node ("redis-1"), is asked; "" if that is not known.
func Of(node string) string {
	kind, _, _ := strings.Cut(node, "-")
	switch kind {
	case "redis", "sentinel":
		return "redis"
	case "etcd", "zookeeper", "mariadb", "postgres", "consul", "memcached":
		return kind
	}
	return ""
}

// Decoders make decoders of connections. What they learn from one connection they know in all others.
type Decoders struct{ scripts *redis.Scripts }

// New returns decoders. Scripts are the sources of Lua scripts by their names.
func New(scripts map[string]string) *Decoders { return &Decoders{redis.NewScripts(scripts)} }

// For returns the decoder of a new connection; nil: nobody decodes that protocol.
func (d *Decoders) For(protocol string) wire.Decoder {
	switch protocol {
	case "redis":
		return redis.New(d.scripts)
	}
	return nil
}
