//go:build simulated

// Command serves is a process with sockets, for a test. Its name selects its role: a server
// that echoes, a Redis in Go, or a client of one of them. It uses net, net/http and the
// libraries without changes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"locktorture/simulate/nursery"
)

func main() {
	name, in, out := nursery.Born()
	role := map[string]func(io.Reader, io.Writer) error{
		"echo": echo, "echoed": echoed, "redis": serveRedis, "asks": asks, "refused": refused, "files": files,
	}[name]
	if err := role(in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		nursery.Exit(1)
	}
	nursery.Exit(0)
}

// echo sends back what each connection sends, until its end.
func echo(io.Reader, io.Writer) error {
	l, err := net.Listen("tcp", "10.0.0.1:700")
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			_, _ = io.Copy(c, c)
		}()
	}
}

// echoed sends more than a message holds over several connections at once.
func echoed(_ io.Reader, out io.Writer) error {
	all := make(chan error)
	for n := range 5 {
		go func() { all <- echoOne(n) }()
	}
	for range 5 {
		if err := <-all; err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, "echoed")
	return err
}

func echoOne(n int) error {
	c, err := net.Dial("tcp", "10.0.0.1:700")
	if err != nil {
		return err
	}
	defer c.Close()
	if to, from := c.RemoteAddr().String(), c.LocalAddr().String(); to != "10.0.0.1:700" || !strings.HasPrefix(from, "10.0.1.1:") {
		return fmt.Errorf("a connection from %s to %s", from, to)
	}
	if err := c.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return err
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("read what nobody sent: %w", err)
	}
	_ = c.SetReadDeadline(time.Time{})
	sent := strings.Repeat(fmt.Sprint(n), 100_000)
	go func() {
		_, _ = io.WriteString(c, sent)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err == nil && string(got) != sent {
		err = fmt.Errorf("%d bytes came back, of %d", len(got), len(sent))
	}
	return err
}

func serveRedis(io.Reader, io.Writer) error {
	if err := miniredis.NewMiniRedis().StartAddr("10.0.0.1:6379"); err != nil {
		return err
	}
	select {}
}

// asks is a client of Redis. It also receives a message that another of its connections
// publishes.
func asks(_ io.Reader, out io.Writer) error {
	ctx := context.Background()
	c := redis.NewClient(&redis.Options{Addr: "10.0.0.1:6379"})
	told := c.Subscribe(ctx, "news")
	if _, err := told.Receive(ctx); err != nil {
		return err
	}
	for range 100 {
		if err := c.Incr(ctx, "n").Err(); err != nil {
			return err
		}
	}
	if err := c.Publish(ctx, "news", "it is 100").Err(); err != nil {
		return err
	}
	n, err := c.Get(ctx, "n").Result()
	fmt.Fprintln(out, (<-told.Channel()).Payload, n)
	return err
}

// refused dials where nobody listens, and listens where somebody does.
func refused(_ io.Reader, out io.Writer) error {
	_, dialed := net.Dial("tcp", "10.0.0.1:1")
	if _, err := net.Listen("tcp", "10.0.1.1:0"); err != nil {
		return err
	}
	_, listened := net.Listen("tcp", "10.0.0.1:700")
	_, six := net.Listen("tcp", "[::1]:700")
	_, err := fmt.Fprintf(out, "%v, %v, %v\n", dialed, listened, six != nil)
	return err
}

// files uses the files of the folder /data, and tries to read a file of another one.
func files(in io.Reader, out io.Writer) error {
	var dir string
	if _, err := fmt.Fscanln(in, &dir); err != nil {
		return err
	}
	if err := nursery.Files(dir); err != nil {
		return err
	}
	if err := os.MkdirAll("/data/a/b", 0o700); err != nil {
		return err
	}
	if err := os.WriteFile("/data/a/b/c", []byte("text"), 0o600); err != nil {
		return err
	}
	if err := os.Rename("/data/a/b/c", "/data/a/d"); err != nil {
		return err
	}
	text, err := os.ReadFile("/data/a/d")
	_, other := os.ReadFile("/etc/hostname")
	list, _ := os.ReadDir("/data/a")
	fmt.Fprintf(out, "%s, %d, %v\n", text, len(list), errors.Is(other, os.ErrNotExist))
	return err
}
