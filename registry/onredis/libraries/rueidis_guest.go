//go:build wasip1 || simulated

package libraries

import (
	"locktorture/locks"
	"locktorture/locks/rueidis"
	"locktorture/registry/onredis"
)

// rueidislock opens the lock of the library rueidis and connects to its server.
func rueidislock(a onredis.Args) (locks.Locker, error) {
	l, err := rueidis.New(config(a))
	if err != nil {
		return nil, err // not the nil lock
	}
	return l, nil
}
