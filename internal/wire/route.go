package wire

import (
	"fmt"
	"strings"
)

// A Route is a server that tells clients one address and is reached by this client at another:
// through a proxy, a tunnel, a container's port. As an endpoint it is "KIND@ANNOUNCED=DIAL".
type Route struct {
	Kind      string // "redis", "sentinel"
	Announced string // host:port that the servers tell
	Dial      string // host:port to dial instead
}

// String is the route as an endpoint.
func (r Route) String() string { return r.Kind + "@" + r.Announced + "=" + r.Dial }

// ParseRoute reads an endpoint. "KIND@ADDR" is a server that is dialed where it says.
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
