// nats-server v2.15.2: an acknowledged write of a stream with three replicas on disk is gone
// when all three servers lose their power within sync_interval, by default two minutes.
//
// A server acknowledges what it has written to its files; the file system writes them to the
// disk later. A lock that was granted is then free: another client is granted it beside the
// holder, with the same revision as token. With sync_interval: always (SYNC=always) it is not.
//
// Each server has a file system on a loop device; what the file under it holds when the servers
// are killed is what is left of its disk. Needs nats-server on PATH, ports 24200 to 24212, root
// and loop devices (exit 3 without). Exit 1: the failure showed.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func main() { os.Exit(run()) }

func run() int {
	dir, err := os.MkdirTemp("", "nats")
	check(err)
	defer os.RemoveAll(dir)
	check(os.Chdir(dir))
	defer sh(`umount m0 m1 m2`)
	if sh(`for i in 0 1 2; do truncate -s 256M d$i; mkfs.ext4 -q -F d$i && mkdir m$i && mount -o loop d$i m$i || exit 1; done`) != nil {
		return 3
	}

	// 1. Three servers, and a bucket that was made long ago: all of it is on the disks.
	servers := start()
	kv, leave := bucket()
	check(sh(`sync -f m0; sync -f m1; sync -f m2`))

	// 2. A is granted the lock, and works for a second.
	token, err := take(kv, "A")
	check(err)
	time.Sleep(time.Second)
	leave()

	// 3. The power fails: the disks have what was written to them until now.
	kill(servers)
	check(sh(`for i in 0 1 2; do cp --sparse=always d$i left$i && umount m$i && mount -o loop left$i m$i || exit 1; done`))

	// 4. The servers are back, and B asks for the lock that A was granted for ten minutes.
	servers = start()
	defer kill(servers)
	kv, leave = bucket()
	defer leave()
	again, err := take(kv, "B")
	fmt.Printf("A was granted the lock with revision %d; B after the loss of power: revision %d, error %v\n", token, again, err)
	return map[bool]int{true: 1}[err == nil]
}

// start starts three servers on the file systems.
func start() (servers []*exec.Cmd) {
	for i := range 3 {
		config := fmt.Sprintf("server_name: n%d\nlisten: 127.0.0.1:%d\njetstream { store_dir: m%d/js\n sync_interval: %s }\ncluster { name: c, listen: 127.0.0.1:%d, "+
			"routes: [nats://127.0.0.1:24210, nats://127.0.0.1:24211, nats://127.0.0.1:24212] }\n", i, 24200+i, i, cmp.Or(os.Getenv("SYNC"), "2m"), 24210+i)
		check(os.WriteFile(fmt.Sprint("conf", i), []byte(config), 0o644))
		c := exec.Command("nats-server", "-c", fmt.Sprint("conf", i), "-l", fmt.Sprint("log", i))
		check(c.Start())
		servers = append(servers, c)
	}
	return servers
}

func kill(servers []*exec.Cmd) {
	for _, c := range servers {
		c.Process.Kill()
		c.Wait()
	}
}

func bucket() (kv jetstream.KeyValue, leave func()) {
	conn, err := nats.Connect("nats://127.0.0.1:24200", nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	check(err)
	js, err := jetstream.New(conn)
	check(err)
	for ; ; time.Sleep(100 * time.Millisecond) {
		if kv, err = js.KeyValue(context.Background(), "locks"); errors.Is(err, jetstream.ErrBucketNotFound) {
			kv, err = js.CreateKeyValue(context.Background(), jetstream.KeyValueConfig{Bucket: "locks", Replicas: 3, LimitMarkerTTL: time.Second})
		}
		if err == nil {
			return kv, conn.Close
		}
	}
}

func take(kv jetstream.KeyValue, who string) (revision uint64, err error) {
	for ; ; time.Sleep(100 * time.Millisecond) {
		revision, err = kv.Create(context.Background(), "lock", []byte(who), jetstream.KeyTTL(10*time.Minute))
		if err == nil || errors.Is(err, jetstream.ErrKeyExists) {
			return revision, err
		}
	}
}

func sh(script string) error {
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	if err != nil {
		fmt.Printf("%s: %v: %s\n", script, err, out)
	}
	return err
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
