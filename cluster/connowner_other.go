//go:build !linux

package cluster

import (
	"errors"
	"net"
)

// connOwner is not supported: it needs /proc, which only Linux has.
func connOwner(net.Conn, []int) (int, error) {
	return -1, errors.ErrUnsupported
}
