// redsync v4.18.1: the clean-up of a failed try, which arrives late, deletes the lock that a
// later try of the same Lock has got. Two clients hold it then.
//
// Lock draws one value for all its tries. A try that fails is followed by a script that deletes
// the key if it has this value. With ContextTimeoutEnabled it is waited for no longer than a
// twentieth of the expiry, else for the ReadTimeout of 3 s. A script that is still under way
// then finds what the next try has set, and deletes it. No server need fail, and no clock.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredislib "github.com/redis/go-redis/v9"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := redis()
	defer stop()
	lock := func(addr string, options ...redsync.Option) *redsync.Mutex {
		client := goredislib.NewClient(&goredislib.Options{Addr: addr, ContextTimeoutEnabled: true})
		return redsync.New(goredis.NewPool(client)).NewMutex("job", options...)
	}
	// The network keeps back the first script that client A sends, and nothing else.
	held, arrive := make(chan struct{}), make(chan struct{})
	way := link(addr, held, arrive)

	// 1. B has the lock.
	b := lock(addr)
	check(b.Lock())

	// 2. A asks for it. Its first try is refused, and the clean-up of that try is under way.
	a := lock(way)
	got := make(chan error, 1)
	go func() { got <- a.Lock() }()
	<-held

	// 3. B releases the lock, and a later try of A gets it.
	_, err := b.Unlock()
	check(err)
	check(<-got)
	fmt.Println("A: Lock returns nil; valid for", time.Until(a.Until()))

	// 4. C is refused, as it must be, until the clean-up of A's first try arrives.
	c := lock(addr, redsync.WithTries(1))
	fmt.Println("C:", c.Lock())
	close(arrive)
	time.Sleep(500 * time.Millisecond)
	err = c.Lock()
	fmt.Println("the clean-up has arrived; C: Lock returns", err, "while A's lock is valid for", time.Until(a.Until()))
	if err == nil && time.Now().Before(a.Until()) {
		return 1
	}
	fmt.Println("did not show")
	return 0
}

// link passes bytes on, but those of the connection that sends the first script wait until
// they may arrive.
func link(to string, held, arrive chan struct{}) string {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	var once sync.Once
	hold := func() { once.Do(func() { close(held); <-arrive }) }
	go func() {
		for {
			a, _ := in.Accept()
			b, err := net.Dial("tcp", to)
			check(err)
			go copyTo(a, b, func() {})
			go copyTo(b, a, hold)
		}
	}()
	return in.Addr().String()
}

func copyTo(to, from net.Conn, script func()) {
	for buf := make([]byte, 1<<16); ; {
		n, err := from.Read(buf)
		if bytes.Contains(bytes.ToLower(buf[:n]), []byte("\r\neval")) {
			script()
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
