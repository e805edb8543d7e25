package cluster

import (
	"net"
	"time"
)

// relayTime is how long a relay waits for the server to listen.
const relayTime = time.Second

// relay starts a junction that leads to a server which does not listen all the time. A proxy
// accepts a connection before it knows whether the server does, and then closes it, which
// looks like a server that died; a relay lets the caller wait until the server listens.
func (b *builder) relay(addr, upstream string) error {
	return b.junction(addr, func(net.Conn) net.Conn {
		end := time.Now().Add(relayTime)
		up, err := net.DialTimeout("tcp4", upstream, dialTime)
		for err != nil && time.Now().Before(end) {
			time.Sleep(5 * time.Millisecond)
			up, err = net.DialTimeout("tcp4", upstream, dialTime)
		}
		if err != nil {
			return nil
		}
		return up
	})
}
