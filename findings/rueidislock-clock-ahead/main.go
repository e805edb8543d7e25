// rueidislock v1.0.79: with the clock of Redis ahead by more than KeyValidity, or that of the
// client behind, every client is granted the lock.
//
// The key is set with SET … NX PXAT and a time by the client's clock. If that time is past for
// the server, the answer is OK and no key stands: a lock that is granted to everybody, without
// an error and without a word in a log. The extension fails half a validity later, so two
// clients hold for that long, again and again. SET … PX (FallbackSETPX) tells the server for
// how long and not until when; or the locker must read the key back before it says that it has
// it.
//
// Needs redis-server and cc on PATH, on Linux. Exit 1: the failure showed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

func main() { os.Exit(run()) }

func run() int {
	// 1. A Redis whose clock is ten seconds ahead. KeyValidity is five seconds, the default.
	addr, stop := redis(ahead())
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	a, b := locker(addr), locker(addr)

	// 2. A asks for the lock and is granted it.
	heldByA, _, err := a.TryWithContext(ctx, "job")
	fmt.Println("A:", outcome(err))
	if err != nil {
		fmt.Println("did not show")
		return 0
	}
	// 3. There is no key in Redis.
	n, err := a.Client().Do(ctx, a.Client().B().Dbsize().Build()).AsInt64()
	check(err)
	fmt.Println("keys in Redis:", n)

	// 4. B asks for the same lock and is granted it, while A's context is alive.
	heldByB, _, err := b.TryWithContext(ctx, "job")
	fmt.Println("B:", outcome(err))
	if err == nil && heldByA.Err() == nil && heldByB.Err() == nil {
		return 1
	}
	fmt.Println("did not show")
	return 0
}

func outcome(err error) string {
	if err != nil {
		return err.Error()
	}
	return "holds the lock"
}

func locker(addr string) rueidislock.Locker {
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{addr}}, KeyMajority: 1,
	})
	check(err)
	return l
}

// clock is preloaded into Redis: its time of day is ten seconds ahead.
const clock = `
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t c, struct timespec *t) {
	int r = syscall(SYS_clock_gettime, c, t);
	if (c == CLOCK_REALTIME) t->tv_sec += 10;
	return r;
}
int gettimeofday(struct timeval *t, void *z) {
	struct timespec s;
	clock_gettime(CLOCK_REALTIME, &s);
	t->tv_sec = s.tv_sec, t->tv_usec = s.tv_nsec / 1000;
	return 0;
}`

func ahead() (env string) {
	c, object := filepath.Join(os.TempDir(), "ahead.c"), filepath.Join(os.TempDir(), "ahead.so")
	check(os.WriteFile(c, []byte(clock), 0o600))
	check(exec.Command("cc", "-shared", "-fPIC", "-o", object, c).Run())
	return "LD_PRELOAD=" + object
}

// redis starts a server on a free port.
func redis(env string) (addr string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	addr = l.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	l.Close()
	server := exec.Command("redis-server", "--port", port, "--save", "", "--dir", os.TempDir())
	server.Env = append(os.Environ(), env)
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
