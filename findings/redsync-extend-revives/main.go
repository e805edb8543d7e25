// redsync v4.18.1 with WithSetNXOnExtend: Extend returns true for a lock that was over, and
// that another client had meanwhile.
//
// If the key is gone Extend sets it anew, and answers as if the lock had been held all the
// time. Whether somebody else had it in between it cannot know: the key of the other client is
// gone, too. So a holder that overstayed is told that its lock was extended, and goes on with
// work that another has done or half done. The name of the option says that the key is set;
// nothing says that exclusion is over. Extend could return true only while the validity has
// not passed.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
package main

import (
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
	a, b := mutex(addr, redsync.WithSetNXOnExtend()), mutex(addr)

	// 1. A holds the lock and reads what it protects.
	check(a.Lock())
	account := 100
	seenByA := account

	// 2. A is stopped for longer than the TTL, as by a garbage collection.
	time.Sleep(1200 * time.Millisecond)

	// 3. B holds the lock meanwhile, takes 60, and releases.
	check(b.Lock())
	account -= 60
	_, err := b.Unlock()
	check(err)

	// 4. A goes on, and asks for an extension before it writes, as it should.
	ok, err := a.Extend()
	fmt.Printf("A's validity ended %v ago; Extend: %v, %v\n", time.Since(a.Until()).Round(time.Millisecond), ok, err)
	if !ok || err != nil {
		fmt.Println("did not show")
		return 0
	}
	account = seenByA - 70
	fmt.Printf("130 of 100 were paid out, and the account holds %d\n", account)
	return 1
}

func mutex(addr string, with ...redsync.Option) *redsync.Mutex {
	pool := goredis.NewPool(goredislib.NewClient(&goredislib.Options{Addr: addr}))
	return redsync.New(pool).NewMutex("job", append(with, redsync.WithExpiry(time.Second))...)
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
