// Package redisconn is how the locks on Redis connect and what they make of the
// server's answers: connections that account for what was sent, the error replies
// of a server that did nothing, and the two scripts that compare an owner value.
package redisconn

import (
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
)

// Open makes a client that is used by its commands alone, with Options.
func Open(addr string, timeout time.Duration, access *locks.Access, dial DialFunc) rediscmd.Client {
	return goredis.NewClient(Options(addr, timeout, access, dial))
}

// Options returns the settings of a client of the server at addr; access is nil if the server
// asks for neither a login nor TLS. Nothing in it retries, so that every request is accounted
// for; timeout bounds the dial only.
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
		// Deadlines come from the context of each request. The library
		// counts these from a cached time that is up to 50 ms old.
		ContextTimeoutEnabled:    true,
		ReadTimeout:              time.Minute,
		WriteTimeout:             time.Minute,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}
