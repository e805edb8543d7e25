// Package protocols selects the decoder of a protocol. It is separate from package wire because of
// the imports of the decoders.
package protocols

import (
	"locktorture/wire"
	"locktorture/wire/http1"
	"locktorture/wire/mariadb"
	"locktorture/wire/memcached"
	"locktorture/wire/postgres"
	"locktorture/wire/redis"
	"locktorture/wire/zookeeper"
)

// Decoders make the decoders of connections. Decoders share the names that they learn from
// connections.
type Decoders struct{ scripts *redis.Scripts }

// New returns decoders. scripts maps names to the sources of Lua scripts.
func New(scripts map[string]string) *Decoders { return &Decoders{redis.NewScripts(scripts)} }

// For returns the decoder of a new connection, or nil if there is none for the protocol.
func (d *Decoders) For(protocol string) wire.Decoder {
	switch protocol {
	case "redis":
		return redis.New(d.scripts)
	case "etcd":
		return &etcdDecoder{}
	case "zookeeper":
		return zookeeper.New()
	case "postgres":
		return postgres.New()
	case "mariadb":
		return mariadb.New()
	case "consul":
		return http1.New(http1.Consul()...)
	case "s3":
		return http1.New(http1.S3()...)
	case "http":
		return http1.New()
	case "memcached":
		return memcached.New()
	}
	return nil
}

// Learn learns the names of scripts from a client's data.
func (d *Decoders) Learn(protocol string, requests []byte) {
	if protocol == "redis" {
		d.scripts.Learn(requests)
	}
}
