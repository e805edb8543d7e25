// go-redis v9.23.0: after an outage a client refuses all commands for up to a second although
// Redis is up again.
//
// When as many dials in a row have failed as the pool has connections, the pool dials only
// once a second in the background, and answers each command with the last error meanwhile.
// With ten waiters for locks and a pool of 10 that is so half a second into an outage. A lock
// with a TTL of half a second is free and its server up, and nobody gets it for up to a
// second; a holder cannot renew. The second cannot be set, and the documentation does not tell
// of it. An interval in the options, or a dial by every n-th command, would do.
//
// Needs redis-server on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/redis/go-redis/v9"
)

func main() {
	worst := time.Duration(0)
	for n := range 5 {
		late := outage(time.Duration(600+130*n) * time.Millisecond)
		fmt.Printf("outage %d: the client answers %v after Redis did\n", n+1, late.Round(time.Millisecond))
		worst = max(worst, late)
	}
	if worst > 300*time.Millisecond {
		os.Exit(1)
	}
	fmt.Println("did not show")
}

// outage returns how long a client goes on to refuse when Redis is up again.
func outage(length time.Duration) time.Duration {
	ctx := context.Background()
	// 1. A client without retries of its own, as locks use it, with the pool of 10.
	addr, stop := redisAt("")
	c := redis.NewClient(&redis.Options{Addr: addr, PoolSize: 10, MaxRetries: -1})
	defer c.Close()
	check(c.Ping(ctx).Err())

	// 2. Redis is down. Ten waiters ask for their locks once in 5 ms.
	stop()
	end := time.Now().Add(length)
	for n := range 10 {
		go func() {
			for ; time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				c.SetNX(ctx, fmt.Sprint("lock", n), 1, time.Second)
			}
		}()
	}
	time.Sleep(length)

	// 3. Redis is up again, and answers whoever dials.
	_, stop = redisAt(addr)
	defer stop()
	up := time.Now()

	// 4. When does a waiter get an answer?
	for c.SetNX(ctx, "lock", 1, time.Second).Err() != nil {
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(up)
}

// redisAt starts a server, on a free port where none is named.
func redisAt(addr string) (at string, stop func()) {
	if addr == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		addr = l.Addr().String()
		l.Close()
	}
	_, port, _ := net.SplitHostPort(addr)
	server := exec.Command("redis-server", "--port", port, "--save", "", "--dir", os.TempDir())
	check(server.Start())
	for _, err := net.Dial("tcp", addr); err != nil; _, err = net.Dial("tcp", addr) {
		time.Sleep(2 * time.Millisecond)
	}
	return addr, func() { server.Process.Kill(); server.Wait() }
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
