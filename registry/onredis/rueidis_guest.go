//go:build wasip1 || simulated

package onredis

import (
	"locktorture/locks"
	"locktorture/locks/redislib"
	"locktorture/locks/rueidis"
)

// openRueidislock connects.
func openRueidislock(c redislib.Config) (locks.Locker, error) {
	l, err := rueidis.New(c)
	if err != nil {
		return nil, err // not the nil lock
	}
	return l, nil
}
