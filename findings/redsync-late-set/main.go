// redsync v4.18.1: a SET that arrives after Lock has given up holds the lock for a whole TTL,
// in nobody's name.
//
// When the answer to SET NX does not come in time, Lock deletes its value and returns an
// error. The DEL goes over another connection and can overtake the SET, which is still under
// way. The SET then takes a lock that nobody knows of and nobody releases: every client is
// refused until it expires. The error says that the lock was not acquired, as if another held
// it, and not that the outcome is unknown.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredislib "github.com/redis/go-redis/v9"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := redis()
	defer stop()
	// The network keeps back what is sent on the connection that carries the SET, and nothing
	// else.
	arrive := make(chan struct{})
	way := link(addr, arrive)

	// 1. A client asks for the lock. Its SET is under way for longer than it waits.
	slow := goredislib.NewClient(&goredislib.Options{Addr: way, ReadTimeout: 300 * time.Millisecond, MaxRetries: -1})
	mutex := redsync.New(goredis.NewPool(slow)).NewMutex("job", redsync.WithExpiry(30*time.Second), redsync.WithTries(1))
	err := mutex.Lock()
	fmt.Println("1. Lock returns:", err)
	if err == nil {
		fmt.Println("did not show")
		return 0
	}

	// 2. The clean-up is through: there is no key.
	direct := goredislib.NewClient(&goredislib.Options{Addr: addr})
	time.Sleep(500 * time.Millisecond)
	fmt.Println("2. keys in Redis after the clean-up:", direct.Exists(context.Background(), "job").Val())

	// 3. The SET arrives.
	close(arrive)
	time.Sleep(500 * time.Millisecond)
	left := direct.PTTL(context.Background(), "job").Val()
	fmt.Println("3. the lock is held, by nobody, for", left)

	// 4. Another client is refused.
	other := redsync.New(goredis.NewPool(direct)).NewMutex("job", redsync.WithTries(1)).Lock()
	fmt.Println("4. another client:", other)
	if left > 20*time.Second && other != nil {
		return 1
	}
	fmt.Println("did not show")
	return 0
}

// link passes bytes on, but those of the connection that sends a SET NX wait until they may
// arrive.
func link(to string, arrive chan struct{}) string {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() {
		for {
			a, _ := in.Accept()
			b, err := net.Dial("tcp", to)
			check(err)
			go copyTo(a, b, nil)
			go copyTo(b, a, arrive)
		}
	}()
	return in.Addr().String()
}

func copyTo(to, from net.Conn, arrive chan struct{}) {
	defer to.Close()
	for buf := make([]byte, 1<<16); ; {
		n, err := from.Read(buf)
		if arrive != nil && bytes.Contains(bytes.ToLower(buf[:n]), []byte("\r\nnx\r\n")) {
			<-arrive
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
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
