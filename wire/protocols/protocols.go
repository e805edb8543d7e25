// Package protocols knows who decodes what. It stands apart from package wire because of what
// decoders import.
package protocols

import (
	"locktorture/wire"
	"locktorture/wire/etcd"
	"locktorture/wire/http1"
	"locktorture/wire/mariadb"
	"locktorture/wire/memcached"
	"locktorture/wire/postgres"
	"locktorture/wire/redis"
	"locktorture/wire/zookeeper"
)

// Decoders make decoders of connections. What they learn from one connection they know in all
// others.
type Decoders struct{ scripts *redis.Scripts }

// New returns decoders. Scripts are the sources of Lua scripts by their names.
func New(scripts map[string]string) *Decoders { return &Decoders{redis.NewScripts(scripts)} }

// For returns the decoder of a new connection; nil: nobody decodes that protocol.
func (d *Decoders) For(protocol string) wire.Decoder {
	switch protocol {
	case "redis":
		return redis.New(d.scripts)
	case "etcd":
		return etcd.New()
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
	case "memcached":
		return memcached.New()
	}
	return nil
}

// Learn learns the names of scripts from what a client sent.
func (d *Decoders) Learn(protocol string, requests []byte) {
	if protocol == "redis" {
		d.scripts.Learn(requests)
	}
}
