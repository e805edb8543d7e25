//go:build !linux

package cluster

import (
	"errors"
	"net"
)

// connOwner needs Linux' /proc.
func connOwner(net.Conn, []int) (int, error) {
	return -1, errors.ErrUnsupported
}
