package redis

import (
	"context"
	"net"

	"locktorture/internal/wire"
	"locktorture/locks/redisconn"
)

// A Route maps the address that a server announces to the address at which this client reaches it.
type Route = wire.Route

// ParseRoutes parses a list of routes.
func ParseRoutes(list []string) ([]Route, error) {
	var routes []Route
	for _, s := range list {
		r, err := wire.ParseRoute(s)
		if err != nil {
			return nil, err
		}
		routes = append(routes, r)
	}
	return routes, nil
}

// announced returns the announced addresses of the servers of a kind.
func announced(routes []Route, kind string) []string {
	var addrs []string
	for _, r := range routes {
		if r.Kind == kind {
			addrs = append(addrs, r.Announced)
		}
	}
	return addrs
}

// via returns a dial function that follows the routes.
func via(routes []Route, dial redisconn.DialFunc) redisconn.DialFunc {
	to := map[string]string{}
	for _, r := range routes {
		to[r.Announced] = r.Dial
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if d, ok := to[addr]; ok {
			addr = d
		}
		return dial(ctx, network, addr)
	}
}
