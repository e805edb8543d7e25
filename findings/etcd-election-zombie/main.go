// go.etcd.io/etcd/client/v3 v3.7.3: Election.Campaign returns nil to a candidate whose session
// is over, while another candidate leads.
//
// Campaign waits until all keys that are older than its own are gone, and does not look
// whether its own is still there. If the session of a candidate ends while it waits (its lease
// expired, or was revoked), and the news of that is late, the end of its predecessor is taken
// for its own turn. The next candidate leads at that moment. A Mutex of the same package reads
// its own key after the wait and returns ErrSessionExpired; Campaign could do the same
// (etcd#11051 was closed as stale).
//
// Needs etcd on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := etcd()
	defer stop()
	ctx := context.Background()
	var late atomic.Bool
	a, b, c := session(addr), session(link(addr, &late)), session(addr)

	// 1. A leads. B campaigns behind it, C behind B.
	first := concurrency.NewElection(a, "/job")
	check(first.Campaign(ctx, "A"))
	won, next := make(chan error), make(chan error)
	go func() { won <- concurrency.NewElection(b, "/job").Campaign(ctx, "B") }()
	time.Sleep(300 * time.Millisecond)
	go func() { next <- concurrency.NewElection(c, "/job").Campaign(ctx, "C") }()
	time.Sleep(300 * time.Millisecond)

	// 2. What the server tells B is late. Its session ends: an operator revokes the lease.
	late.Store(true)
	_, err := a.Client().Revoke(ctx, b.Lease())
	check(err)

	// 3. A resigns, and C leads.
	check(first.Resign(ctx))
	check(<-next)

	// 4. That reaches B. nil says that B leads: without a key, while C leads.
	late.Store(false)
	err = <-won
	fmt.Println("B's Campaign returns:", err)
	return map[bool]int{true: 1}[err == nil]
}

func session(addr string) *concurrency.Session {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	check(err)
	s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
	check(err)
	return s
}

// etcd starts a server on free ports.
func etcd() (addr string, stop func()) {
	var urls [2]string
	for i := range urls {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		addr, urls[i] = l.Addr().String(), "http://"+l.Addr().String()
		l.Close()
	}
	dir, err := os.MkdirTemp("", "etcd")
	check(err)
	server := exec.Command("etcd", "--data-dir", dir, "--listen-client-urls", urls[1], "--advertise-client-urls", urls[1],
		"--listen-peer-urls", urls[0], "--initial-advertise-peer-urls", urls[0], "--initial-cluster", "default="+urls[0])
	check(server.Start())
	return addr, func() { server.Process.Kill(); server.Wait(); os.RemoveAll(dir) }
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
