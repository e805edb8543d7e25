package cluster

// A Forwarder starts a proxy that listens on an address, connects every connection to upstream, and
// runs a pipe for each direction. There are two: Plain, and the Forwarder of package
// cluster/toxiproxy.
type Forwarder func(listen, upstream string, connect func() (requests, replies Pipe)) (Proxy, error)

// A Pipe carries one direction of one connection until the stream ends.
type Pipe func(Stream)

// A Proxy is a running proxy that a Forwarder has started.
type Proxy interface {
	Addr() string // the address on which it listens
	// Move closes all connections and connects new ones to another server.
	Move(upstream string) error
	// Stop closes the listener and all connections.
	Stop()
}

// proxy starts a proxy with two valves and with taps on its connections. The connections cannot be
// watched if t is nil.
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
