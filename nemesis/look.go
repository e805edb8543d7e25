package nemesis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// question is a line that every server answers, if only with an error: a four-letter word of
// ZooKeeper, an unknown method for HTTP servers (etcd, Consul), an unknown command for Redis. Other
// servers send a greeting and need no question.
const question = "ruok / HTTP/1.0\r\n\r\n"

// second is for servers that close the connection after the question without an answer.
// PostgreSQL answers the first eight bytes of second, which ask for encryption. memcached
// answers the line after them.
const second = "\x00\x00\x00\x08\x04\xd2\x16\x2f\r\nversion\r\n"

const (
	silence  = 50 * time.Millisecond  // without an answer for this long, the link is considered silent
	patience = 500 * time.Millisecond // bound on one answer over a link without a fault
	recovery = 10 * time.Second       // bound on the time until a healed link answers
	slowest  = 5 * time.Second        // bound on one answer over a slow link on a busy machine
)

// errSilent reports that the connection is open and no answer arrives.
var errSilent = errors.New("no answer")

// ask sends the question through a link and returns the time until the answer. If the server closes
// the connection, ask tries the other questions: a dead server behind a proxy closes all
// connections. The greeting of MariaDB, MySQL and NATS crosses the link only once, so ask waits for
// their answer to the question.
func ask(ctx context.Context, addr string, limit time.Duration) (time.Duration, error) {
	took, err := put(ctx, addr, question, limit)
	for _, other := range []string{second, third()} {
		if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			break
		}
		took, err = put(ctx, addr, other, limit)
	}
	return took, err
}

// put sends one question.
func put(ctx context.Context, addr, question string, limit time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return 0, err
	}
	if _, err := conn.Write([]byte(question)); err != nil {
		return 0, err
	}
	if err := hear(conn); err != nil {
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			err = errSilent
		}
		return 0, err
	}
	return time.Since(start), nil
}

// hear returns once an answer to the question has arrived.
func hear(conn net.Conn) error {
	b := make([]byte, 512)
	n, err := conn.Read(b)
	if err == nil && bytes.HasPrefix(b[:n], []byte("INFO ")) {
		return hearNATS(conn, b[:n])
	}
	// Three bytes of length, a packet number of 0, version 10: a greeting, which needs no question.
	if err != nil || n < 5 || b[3] != 0 || b[4] != 10 {
		return err
	}
	rest := 4 + int64(b[0]) + int64(b[1])<<8 + int64(b[2])<<16 - int64(n)
	if _, err := io.CopyN(io.Discard, conn, max(rest, 0)); err != nil {
		return err
	}
	if _, err = conn.Read(b); errors.Is(err, io.EOF) {
		return nil // closed because of the question: this too came from the server
	}
	return err
}

// hearNATS returns once data has arrived after the line with which nats-server greets. The start of
// the line was read before.
func hearNATS(conn net.Conn, begin []byte) error {
	r := bufio.NewReader(io.MultiReader(bytes.NewReader(begin), conn))
	if _, err := r.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	_, err := r.ReadByte()
	if errors.Is(err, io.EOF) {
		return nil // closed because of the question: this too came from the server
	}
	return err
}

// A path is one link with the names of its ends.
type path struct {
	Link
	name string
}

// overAll calls do for all paths at once and joins the errors, each with the name of its path.
func overAll(paths []path, do func(path) error) error {
	errs := make([]error, len(paths))
	var wg sync.WaitGroup
	for i, p := range paths {
		wg.Go(func() {
			if err := do(p); err != nil {
				errs[i] = fmt.Errorf("%s: %w", p.name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// seeSilent returns nil if no data passes any of the paths.
func seeSilent(ctx context.Context, paths []path) error {
	return overAll(paths, func(p path) error {
		took, err := ask(ctx, p.Addr(), silence)
		if err == nil {
			return fmt.Errorf("was cut off, but still answers within %v", took)
		}
		return ctx.Err()
	})
}

// seeSlow returns nil if no answer over the paths arrives in less than least.
func seeSlow(ctx context.Context, paths []path, least, most time.Duration) error {
	return overAll(paths, func(p path) error {
		took, err := ask(ctx, p.Addr(), most+slowest)
		if err == nil && took < least {
			err = fmt.Errorf("answers within %v, although it is slowed down by %v", took, least)
		}
		return err
	})
}

// seeQuick waits until answers over all paths arrive in less than most.
func seeQuick(ctx context.Context, paths []path, most time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	return overAll(paths, func(p path) error {
		for {
			took, err := ask(ctx, p.Addr(), patience)
			if err == nil && took < most {
				return nil
			}
			if err == nil {
				err = fmt.Errorf("still needs %v for an answer", took)
			}
			if !sleep(ctx, 5*time.Millisecond) {
				return fmt.Errorf("has not recovered: %w", err)
			}
		}
	})
}
