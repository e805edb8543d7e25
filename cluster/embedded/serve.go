package embedded

import (
	"net"
	"sync"

	"github.com/alicebob/miniredis/v2/server"
)

// listen serves on the node's address. If the port is 0, it stores the port that the kernel has
// chosen. It uses a listener of its own, because the listener of miniredis would serve before the
// hook is set.
func (n *Node) listen() error {
	l, err := net.Listen("tcp", n.addr)
	if err != nil {
		return err
	}
	pipe, err := n.redis.Dial() // creates the server without a listener
	if err != nil {
		l.Close()
		return err
	}
	pipe.Close()
	srv := n.redis.Server()
	srv.SetPreHook(n.watch())
	n.addr, n.listener = l.Addr().String(), l
	n.accept.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			srv.ServeConn(c)
		}
	})
	return nil
}

// close closes the listener and all connections.
func (n *Node) close() {
	if n.listener == nil {
		return
	}
	n.listener.Close()
	n.accept.Wait()
	n.redis.Close()
	n.listener = nil
}

// watch returns a hook that sets the time of miniredis before each command, so that a key lives for
// its full lifetime from the arrival of its command. The hook must ignore the commands inside a
// script, because miniredis is locked then and the time has already been set. They arrive from a
// peer that miniredis has made for the script. Such a peer has a context from the start, whereas a
// connection gets one at its first command.
func (n *Node) watch() server.Hook {
	var connections sync.Map
	return func(p *server.Peer, _ string, _ ...string) bool {
		if _, known := connections.Load(p); !known {
			if p.Ctx != nil {
				return false
			}
			connections.Store(p, true)
			p.OnDisconnect(func() { connections.Delete(p) })
		}
		n.tick()
		return false
	}
}
