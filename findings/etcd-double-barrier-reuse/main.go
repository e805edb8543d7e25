// go.etcd.io/etcd/client/v3 v3.7.3, experimental/recipes: a DoubleBarrier that is used again deadlocks.
//
// Two parties enter and leave the same barrier again and again, which its documentation does not
// forbid. Leave deletes the party's own key and waits until the oldest key is gone. Then it calls
// itself again, and reads the keys anew. If the other party has entered again meanwhile, its new key
// is taken for one of the old round: Leave waits until that party leaves. But that party waits in
// Enter for the one that is still leaving. The watch makes this likely: it begins at an old revision,
// so etcd may tell of the deletion up to 100 ms late.
//
// No fault is needed. Needs etcd on PATH. Exit 1: the failure showed.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
	"go.uber.org/zap"
)

func main() { os.Exit(run()) }

// rounds is how often the parties meet, patience how long nobody must make progress.
const rounds, patience = 100, 10 * time.Second

// A party is at work in a session of its own; doing is what it has called, steps counts its calls.
type party struct {
	name  string
	doing atomic.Value
	steps atomic.Int64
}

func run() int {
	addr, stop := etcd()
	defer stop()
	parties := []*party{{name: "A"}, {name: "B"}}
	done := make(chan struct{}, len(parties))
	for _, p := range parties {
		s := session(addr)
		go func() {
			for range rounds {
				b := recipe.NewDoubleBarrier(s, "/barrier", len(parties))
				p.call("Enter", b.Enter)
				time.Sleep(50 * time.Millisecond) // the work
				p.call("Leave", b.Leave)
			}
			done <- struct{}{}
		}()
	}
	for left, steps, at := len(parties), int64(0), time.Now(); left > 0; {
		select {
		case <-done:
			left--
		case <-time.After(100 * time.Millisecond):
		}
		if now := parties[0].steps.Load() + parties[1].steps.Load(); now != steps {
			steps, at = now, time.Now()
		}
		if time.Since(at) > patience {
			fmt.Printf("after %d calls, for %s: A waits in %v, B waits in %v; both sessions are alive\n", steps, patience, parties[0].doing.Load(), parties[1].doing.Load())
			return 1
		}
	}
	fmt.Printf("both parties met %d times\n", rounds)
	return 0
}

func (p *party) call(name string, f func() error) {
	p.doing.Store(name)
	check(f())
	p.steps.Add(1)
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
