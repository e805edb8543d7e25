package cluster

// A Forwarder starts a proxy: it listens on an address, leads each connection to upstream, and runs a pipe for
// each of its directions. There are two: Plain, and the one of package cluster/toxiproxy.
type Forwarder func(listen, upstream string, connect func() (requests, replies Pipe)) (Proxy, error)

// A Pipe carries one direction of one connection, until the stream ends.
type Pipe func(Stream)

// A Proxy is what a Forwarder has started.
type Proxy interface {
	Addr() string // where it listens
	// Move closes all connections and leads new ones to another server.
	Move(upstream string) error
	// Stop closes the listener and all connections.
	Stop()
}

// proxy starts a proxy with two valves in it, and taps on its connections; nil: they cannot be watched.
func (f Forwarder) proxy(listen, upstream string, requests, replies *valve, t *taps) (Proxy, error) {
	if f == nil {
		f = Plain
	}
	return f(listen, upstream, func() (Pipe, Pipe) {
		var c *conn
		if t != nil {
			c = &conn{taps: t}
		}
		return requests.pipe(c, false), replies.pipe(c, true)
	})
}
