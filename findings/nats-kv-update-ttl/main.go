// nats.go v1.55.0, nats-server v2.15.2: KeyValue.Update takes the TTL off a key.
//
// A key that was made with Create and KeyTTL is gone after its TTL. The documentation of Update
// says that it "also resets the TTL associated with the key (if any)", which reads like a
// renewal: the way to hold a lock for longer. But Update sends its message without a Nats-TTL,
// and the new message never expires. So a lock that is made with KeyTTL and renewed with
// Update is free after a holder that died before its first renewal, and taken for ever after
// one that died later. Update could take KeyTTL as an option, as Create does, and send it.
// Publishing to the key's subject with WithMsgTTL and WithExpectLastSequencePerSubject does
// what is wanted today.
//
// Needs nats-server on PATH. Exit 1: the failure showed.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const ttl = time.Second

func main() { os.Exit(run()) }

func run() int {
	conn, stop := server()
	defer stop()
	ctx := context.Background()
	js, err := jetstream.New(conn)
	check(err)
	kv, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "locks", LimitMarkerTTL: time.Second})
	check(err)

	// 1. Two keys with a TTL of a second. Nobody touches the first again.
	_, err = kv.Create(ctx, "once", []byte("holder"), jetstream.KeyTTL(ttl))
	check(err)
	revision, err := kv.Create(ctx, "renewed", []byte("holder"), jetstream.KeyTTL(ttl))
	check(err)

	// 2. The holder of the second renews it once, in time, and dies.
	time.Sleep(ttl / 3)
	_, err = kv.Update(ctx, "renewed", []byte("holder"), revision)
	check(err)

	// 3. Five TTL later both should be gone.
	time.Sleep(5 * ttl)
	_, err = kv.Get(ctx, "once")
	if !errors.Is(err, jetstream.ErrKeyNotFound) {
		panic(fmt.Sprint("the key that was not renewed: ", err)) // the server does not expire keys
	}
	_, err = kv.Create(ctx, "renewed", []byte("another"), jetstream.KeyTTL(ttl))
	fmt.Printf("%v after the last renewal of a key with a TTL of %v, another client is told: %v\n", 5*ttl, ttl, err)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return 1
	}
	check(err)
	return 0
}

// server starts one nats-server with JetStream and connects.
func server() (conn *nats.Conn, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir, err := os.MkdirTemp("", "nats")
	check(err)
	cmd := exec.Command("nats-server", "--addr", "127.0.0.1", "--port", strconv.Itoa(port), "--jetstream", "--store_dir", dir)
	check(cmd.Start())
	for {
		if conn, err = nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port)); err == nil {
			return conn, func() { conn.Close(); cmd.Process.Kill(); cmd.Wait(); os.RemoveAll(dir) }
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func check(err error) {
	if err != nil {
		panic(err) // exit 2
	}
}
