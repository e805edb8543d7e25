//go:build !wasip1 && !simulated

package libraries

import (
	"errors"

	"locktorture/locks"
	"locktorture/registry/onredis"
)

// rueidislock returns an error, because the library is compiled only into guests.
func rueidislock(onredis.Args) (locks.Locker, error) {
	return nil, errors.New("rueidislock is opened in guests only")
}
