//go:build !wasip1 && !simulated

package libraries

import (
	"errors"

	"locktorture/locks"
	"locktorture/registry/onredis"
)

// rueidislock fails: the library is compiled for guests alone.
func rueidislock(onredis.Args) (locks.Locker, error) {
	return nil, errors.New("rueidislock is opened in guests only")
}
