// go-zookeeper v1.0.4: Lock.Lock returns nil to a waiter whose session has expired, while
// another client holds the lock.
//
// Lock waits for the node before its own and then looks whether its own sequence number is the
// lowest of the children. It does not look whether its own node is among them. A waiter that
// was stopped for longer than its session has no node any more. If its predecessor goes
// meanwhile, it wakes up to that watch event first, asks for the children (a request that is
// still queued when the connection ends is sent in the next session), finds nobody before it,
// and returns nil. Another client, which came later, holds the lock at that moment.
//
// Needs Linux or macOS, and a ZooKeeper at $ZOOKEEPER (default 127.0.0.1:2181).
// Exit 1: the failure showed.
package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zookeeper/zk"
)

func main() {
	if len(os.Args) == 2 { // a waiter, in a process of its own
		fmt.Println(newLock(os.Args[1]).Lock())
		return
	}
	// Whether the event or the end of the connection is served first is a race in the library:
	// about every second waiter loses it. So there are eight, each for a lock of its own.
	var wg sync.WaitGroup
	both := make(chan int, 8)
	for n := range 8 {
		wg.Go(func() {
			if shows(fmt.Sprintf("/expired-waiter-%d-%d", os.Getpid(), n)) {
				both <- n
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d of 8 waiters were granted the lock without a node, while another client holds it\n", len(both))
	if len(both) > 0 {
		os.Exit(1)
	}
}

func shows(path string) bool {
	// 1. The holder has the lock, and the waiter waits behind it.
	first, next := newLock(path), newLock(path)
	check(first.Lock())
	self, err := os.Executable()
	check(err)
	waiter := exec.Command(self, path)
	var said strings.Builder
	waiter.Stdout = &said
	check(waiter.Start())
	time.Sleep(2 * time.Second)

	// 2. The waiter's process is stopped, as a virtual machine that is moved.
	check(waiter.Process.Signal(syscall.SIGSTOP))

	// 3. The holder releases. The waiter's session (4 s) expires, and its node goes with it.
	check(first.Unlock())

	// 4. Another client asks for the lock, is granted it when that node is gone, and keeps it.
	check(next.Lock())

	// 5. The waiter goes on: it finds the event of step 3, and the end of its connection.
	check(waiter.Process.Signal(syscall.SIGCONT))
	check(waiter.Wait())
	return strings.TrimSpace(said.String()) == "<nil>" // an error is right: its node is gone
}

// newLock is a lock in a session of its own.
func newLock(path string) *zk.Lock {
	addr := cmp.Or(os.Getenv("ZOOKEEPER"), "127.0.0.1:2181")
	three := []string{addr, addr, addr} // as in a cluster; with a single one the library drops requests
	c, _, err := zk.Connect(three, 4*time.Second, zk.WithLogger(log.New(io.Discard, "", 0)))
	check(err)
	return zk.NewLock(c, path, zk.WorldACL(zk.PermAll))
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
