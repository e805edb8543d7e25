//go:build !wasip1 && !simulated

package locks

import (
	"context"
	"net"
)

// dial connects without TLS.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, addr)
}
