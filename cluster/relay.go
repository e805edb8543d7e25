package cluster

import (
	"net"
	"time"
)

// relayTime bounds the time in which a relay waits until the server listens.
const relayTime = time.Second

// relay starts a junction that leads to a server which does not always listen. A proxy accepts a
// connection before it reaches the server, and closes it if the server does not listen, which looks
// like a crashed server. A relay lets the caller wait instead.
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
