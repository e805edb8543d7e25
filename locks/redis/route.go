package redis

import (
	"context"
	"fmt"
	"net"
	"strings"
)

// A Route is a server that tells clients one address and is reached by this client at
// another: through a proxy, a tunnel, a container's port.
type Route struct {
	Kind      string // "redis", "sentinel"
	Announced string // host:port that the servers tell
	Dial      string // host:port to dial instead
}

// ParseRoute reads "KIND@ANNOUNCED=DIAL". "KIND@ADDR" is a server that is dialed
// where it says.
func ParseRoute(s string) (Route, error) {
	kind, rest, ok := strings.Cut(s, "@")
	if !ok || kind == "" || rest == "" {
		return Route{}, fmt.Errorf("endpoint %q is not KIND@ANNOUNCED=DIAL", s)
	}
	announced, dial, ok := strings.Cut(rest, "=")
	if !ok {
		dial = announced
	}
	return Route{Kind: kind, Announced: announced, Dial: dial}, nil
}

// ParseRoutes reads a list of routes.
func ParseRoutes(list []string) ([]Route, error) {
	var routes []Route
	for _, s := range list {
		r, err := ParseRoute(s)
		if err != nil {
			return nil, err
		}
		routes = append(routes, r)
	}
	return routes, nil
}

// announced returns the addresses of the servers of a kind.
func announced(routes []Route, kind string) []string {
	var addrs []string
	for _, r := range routes {
		if r.Kind == kind {
			addrs = append(addrs, r.Announced)
		}
	}
	return addrs
}

// via dials where the routes lead.
func via(routes []Route, dial dialFunc) dialFunc {
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
