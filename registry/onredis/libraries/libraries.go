// Package libraries opens the locks of package onredis, including the locks that are libraries.
package libraries

import (
	"fmt"

	upstream "github.com/go-redsync/redsync/v4"

	"locktorture/locks"
	"locktorture/locks/redislib"
	"locktorture/locks/redislock"
	"locktorture/locks/redsync"
	"locktorture/registry/onredis"
)

// Open opens a lock of the table of package onredis, whether or not it is a library.
func Open(name string, l onredis.Lock, a onredis.Args) (locks.Locker, error) {
	if l.Open != nil {
		return l.Open(a)
	}
	open, ok := openers()[name]
	if !ok {
		return nil, fmt.Errorf("%s is a library that is not known", name)
	}
	return open(a)
}

func openers() map[string]func(onredis.Args) (locks.Locker, error) {
	return map[string]func(onredis.Args) (locks.Locker, error){
		"redsync": func(a onredis.Args) (locks.Locker, error) {
			var options []upstream.Option
			if a.Options["extend"] == "setnx" {
				options = append(options, upstream.WithSetNXOnExtend())
			}
			return redsync.New(config(a), options...), nil
		},
		"redislock":   func(a onredis.Args) (locks.Locker, error) { return redislock.New(config(a)), nil },
		"rueidislock": rueidislock,
	}
}

// config converts arguments to the configuration of a library for Redis.
func config(a onredis.Args) redislib.Config {
	return redislib.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Prefix: a.Prefix, Token: a.Options["token"]}
}
