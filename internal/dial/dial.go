//go:build !wasip1 && !simulated

package dial

import (
	"context"
	"net"
)

// Plain connects without TLS.
func Plain(ctx context.Context, network, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, addr)
}
