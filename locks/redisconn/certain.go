package redisconn

import (
	"errors"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks/attempt"
)

// refusals lists prefixes of error replies of servers that did nothing.
var refusals = [...]string{"READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "OOM", "MISCONF", "BUSY ", "CLUSTERDOWN", "MOVED", "NOAUTH"}

// Certain reports whether an error proves that a request changed nothing.
func Certain(err error) bool {
	if Unsent(err) {
		return true
	}
	var reply goredis.Error
	if !errors.As(err, &reply) {
		return false
	}
	for _, p := range refusals {
		if strings.HasPrefix(reply.Error(), p) {
			return true
		}
	}
	return false
}

// Unsent reports whether an error proves that a request was not sent.
func Unsent(err error) bool {
	return attempt.NotSent(err) || errors.Is(err, goredis.ErrPoolTimeout)
}
