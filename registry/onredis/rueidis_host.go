//go:build !wasip1 && !simulated

package onredis

import (
	"errors"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// openRueidislock is what guests have: the library is compiled for them alone.
func openRueidislock(redislib.Config) (locks.Locker, error) {
	return nil, errors.New("rueidislock is opened in guests only")
}
