// rueidislock v1.0.79: the context of a lock is still alive when another client has been
// granted the lock, if the link to Redis falls silent.
//
// The page of the package says that the context is cancelled when the lock is lost. The holder
// finds out by the answer to its next extension, and gives that request until the end of the
// validity that it asks for: half a validity later than the key lives. On a link that drops
// packets no answer comes. The key is over, another client is granted the lock, and the
// context ends half a KeyValidity after that (2.5 s by default). It must end with the last
// extension that was answered. (With NoLoopTracking; else an extension with the right deadline
// is under way.)
//
// Needs redis-server on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := redis()
	defer stop()
	var silent atomic.Bool
	a, b := locker(link(addr, &silent)), locker(addr)

	// 1. A holds the lock, whose key lives for 4 s and is extended once in 2 s.
	held, _, err := a.WithContext(context.Background(), "job")
	check(err)
	time.Sleep(2500 * time.Millisecond)

	// 2. The link of A falls silent: packets are lost, no connection ends.
	silent.Store(true)
	start := time.Now()

	// 3. B waits and is granted the lock, because A's key is over.
	_, _, err = b.WithContext(context.Background(), "job")
	check(err)
	granted := time.Since(start)
	fmt.Printf("B was granted the lock %.1f s after the link fell silent; A's context: %v\n", granted.Seconds(), held.Err())

	// 4. For how long does A go on?
	select {
	case <-held.Done():
	case <-time.After(20 * time.Second):
	}
	late := time.Since(start) - granted
	fmt.Printf("A's context ended %.1f s after that: %v\n", late.Seconds(), held.Err())
	if late > 200*time.Millisecond {
		return 1
	}
	return 0
}

func locker(addr string) rueidislock.Locker {
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{addr}}, KeyMajority: 1, KeyValidity: 4 * time.Second, NoLoopTracking: true,
	})
	check(err)
	return l
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

// redis starts a server on a free port.
func redis() (addr string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	addr = l.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	l.Close()
	server := exec.Command("redis-server", "--port", port, "--save", "", "--dir", os.TempDir())
	check(server.Start())
	for _, err := net.Dial("tcp", addr); err != nil; _, err = net.Dial("tcp", addr) {
		time.Sleep(20 * time.Millisecond)
	}
	return addr, func() { server.Process.Kill(); server.Wait() }
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
