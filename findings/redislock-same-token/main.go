// redislock v0.9.4: Obtain grants a lock that is held to whoever comes with the token of its holder.
//
// Options.Token is what identifies a holder, and a program may set it. A second Obtain with the same
// token is granted while the lock is held, and sets the TTL anew: the script takes a key with its
// own value for one that its caller has already. Two replicas that give their service's name as the
// token both hold the lock. It is by design, says the changelog (bsm/redislock#71).
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

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

func main() { os.Exit(run()) }

func run() int {
	addr, stop := server()
	defer stop()
	ctx := context.Background()
	obtain := func() error {
		client := redis.NewClient(&redis.Options{Addr: addr})
		_, err := redislock.New(client).Obtain(ctx, "job", 30*time.Second, &redislock.Options{Token: "billing"})
		return err
	}

	// 1. A replica holds the lock.
	check(obtain())

	// 2. Another, with a connection of its own, asks with the same token.
	err := obtain()
	fmt.Println("2. another replica, while the first holds the lock:", err)
	if err == nil {
		return 1
	}
	fmt.Println("did not show")
	return 0
}

// server starts a Redis on a free port.
func server() (addr string, stop func()) {
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
