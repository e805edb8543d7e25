// hashicorp/consul/api v1.34.5: the leader channel of Lock is still open when another client
// has been granted the lock, if the link to the agent falls silent.
//
// Lock returns a channel that is closed when the lock is lost. The library learns of that from
// a blocking query, and from the renewal of its session, and waits for the answers of both
// without a deadline of its own. If nothing comes back, the session is invalidated on the
// server after its TTL, another client gets the lock, and the first holder is told nothing.
// The session's expiry is known to the holder: the channel must be closed when no renewal was
// answered for a TTL (hashicorp/consul#18271 asks for that).
//
// Needs consul on PATH. Exit 1: the failure showed (after about half a minute).
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/hashicorp/consul/api"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := consul()
	defer stop()
	var silent atomic.Bool
	a, b := lock(link(addr, &silent)), lock(addr)

	// 1. A holds the lock, in a session with a TTL of 10 s (the shortest).
	lost, err := a.Lock(nil)
	check(err)

	// 2. The link of A falls silent: packets are lost, no connection ends.
	silent.Store(true)
	start := time.Now()

	// 3. B is granted the lock.
	_, err = b.Lock(nil)
	check(err)
	fmt.Printf("B was granted the lock %.1f s after A's link fell silent\n", time.Since(start).Seconds())

	// 4. Is A told?
	select {
	case <-lost:
		fmt.Println("A was told; did not show")
		return 0
	case <-time.After(5 * time.Second):
		fmt.Println("5 s later A's leader channel is still open: two leaders")
		return 1
	}
}

func lock(addr string) *api.Lock {
	c, err := api.NewClient(&api.Config{Address: addr})
	check(err)
	l, err := c.LockOpts(&api.LockOptions{Key: "job", SessionTTL: "10s", LockDelay: time.Millisecond})
	check(err)
	return l
}

// consul starts a server for development on free ports.
func consul() (addr string, stop func()) {
	ports := make([]string, 5)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		_, ports[i], _ = net.SplitHostPort(l.Addr().String())
		l.Close()
	}
	server := exec.Command("consul", "agent", "-dev", "-log-level", "err", "-grpc-port", "-1", "-http-port", ports[0],
		"-dns-port", ports[1], "-server-port", ports[2], "-serf-lan-port", ports[3], "-serf-wan-port", ports[4])
	check(server.Start())
	addr = "127.0.0.1:" + ports[0]
	for client, _ := api.NewClient(&api.Config{Address: addr}); ; time.Sleep(100 * time.Millisecond) {
		if _, _, err := client.Session().Create(nil, nil); err == nil { // the agent registers its node some time after its start
			break
		}
	}
	return addr, func() { server.Process.Kill(); server.Wait() }
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}

// link passes bytes on, but while it is silent: then they wait, and no connection ends.
func link(to string, silent *atomic.Bool) string {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	pass := func(to, from net.Conn) {
		defer to.Close()
		for buf := make([]byte, 1<<16); ; {
			n, err := from.Read(buf)
			for silent.Load() {
				time.Sleep(time.Millisecond)
			}
			if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}
	go func() {
		for {
			a, _ := in.Accept()
			if b, err := net.Dial("tcp", to); err == nil {
				go pass(a, b)
				go pass(b, a)
			}
		}
	}()
	return in.Addr().String()
}
