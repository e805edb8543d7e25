// Package redisconn connects the locks on Redis and interprets the server's answers. It provides
// connections that account for sent requests, the error replies of a server that did nothing, and
// the two scripts that compare an owner value.
package redisconn

import (
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
)

// Open returns a client with the settings of Options, as an interface of commands.
func Open(addr string, timeout time.Duration, access *locks.Access, dial DialFunc) rediscmd.Client {
	return goredis.NewClient(Options(addr, timeout, access, dial))
}

// Options returns the settings of a client of the server at addr; access is nil if the server
// requires neither a login nor TLS. Nothing in the client retries, so that every request is
// accounted for; timeout limits only the dial.
func Options(addr string, timeout time.Duration, access *locks.Access, dial DialFunc) *goredis.Options {
	user, password := access.Login()
	return &goredis.Options{
		Addr:             addr,
		Username:         user,
		Password:         password,
		Dialer:           Accounted(dial),
		Protocol:         2,
		DisableIdentity:  true,
		MaxRetries:       -1,
		DialerRetries:    1,
		DialTimeout:      timeout,
		PoolSize:         8,
		PipelinePoolSize: -1,
		// Deadlines come from the context of each request. The library counts these from a cached
		// time that may be 50 ms old.
		ContextTimeoutEnabled:    true,
		ReadTimeout:              time.Minute,
		WriteTimeout:             time.Minute,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}
