package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// A memcached is the client side of one memcached.
type memcached struct{ cfg Config }

func newMemcached(cfg Config) service { return &memcached{cfg} }

// plain dials without TLS.
func plain(ctx context.Context, network, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// connect dials the server and logs in.
func (m *memcached) connect(ctx context.Context, addr string) (net.Conn, *bufio.Reader, error) {
	conn, err := m.cfg.Dial(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end) // an answer also arrives without the deadline
	}
	in := bufio.NewReader(conn)
	if m.cfg.User == "" {
		return conn, in, nil
	}
	value := m.cfg.User + " " + m.cfg.Password
	answer, err := ask(conn, in, fmt.Sprintf("set login 0 0 %d\r\n%s", len(value), value))
	if err == nil && answer != "STORED" {
		err = fmt.Errorf("log in: the server answered %q", answer)
	}
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, in, nil
}

func ask(conn net.Conn, in *bufio.Reader, question string) (string, error) {
	if _, err := conn.Write([]byte(question + "\r\n")); err != nil {
		return "", err
	}
	line, err := in.ReadString('\n')
	return strings.TrimSpace(line), err
}

func (m *memcached) version(ctx context.Context, addr string) (string, error) {
	conn, in, err := m.connect(ctx, addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	answer, err := ask(conn, in, "version")
	if err != nil {
		return "", err
	}
	v, ok := strings.CutPrefix(answer, "VERSION ")
	if !ok {
		return "", fmt.Errorf("the server answered %q", answer)
	}
	return v, nil
}

func (m *memcached) prepare(context.Context) error { return nil }

func (m *memcached) some(ctx context.Context) (string, error) {
	conn, in, err := m.connect(ctx, m.cfg.Endpoints[0])
	if err != nil {
		return "", err
	}
	defer conn.Close()
	keys, err := m.keys(conn, in)
	return first(keys), err
}

// While the server's crawler is busy, keys repeats its request up to busyTries times, busyTime
// apart.
const (
	busyTries = 40
	busyTime  = 50 * time.Millisecond
)

// keys lists all items of the server and returns those below the prefix. The server still answers
// other clients meanwhile.
func (m *memcached) keys(conn net.Conn, in *bufio.Reader) (keys []string, err error) {
	line, err := ask(conn, in, "lru_crawler metadump all")
	for try := 0; err == nil && strings.HasPrefix(line, "BUSY") && try < busyTries; try++ { // the server runs one such job at a time
		time.Sleep(busyTime)
		line, err = ask(conn, in, "lru_crawler metadump all")
	}
	for ; err == nil && strings.TrimSpace(line) != "END"; line, err = in.ReadString('\n') {
		word, _, _ := strings.Cut(line, " ")
		key, ok := strings.CutPrefix(word, "key=")
		if !ok {
			return nil, fmt.Errorf("list items: the server answered %q", strings.TrimSpace(line))
		}
		if key, uerr := url.QueryUnescape(key); uerr == nil && strings.HasPrefix(key, m.cfg.Prefix) {
			keys = append(keys, key)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	return keys, nil
}

// sweep deletes the items below the prefix.
func (m *memcached) sweep(ctx context.Context) (int, error) {
	conn, in, err := m.connect(ctx, m.cfg.Endpoints[0])
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	keys, err := m.keys(conn, in)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, key := range keys {
		answer, err := ask(conn, in, "delete "+key)
		if err != nil {
			return n, err
		}
		if answer == "DELETED" {
			n++
		}
	}
	return n, nil
}

// looker deletes a missing item, which changes no data.
func (m *memcached) looker(s server) looker {
	type open struct {
		conn net.Conn
		in   *bufio.Reader
	}
	return &kept[open]{
		open: func(ctx context.Context) (open, error) {
			conn, in, err := m.connect(ctx, s.addr)
			return open{conn, in}, err
		},
		ask: func(ctx context.Context, o open) error {
			defer context.AfterFunc(ctx, func() { _ = o.conn.SetDeadline(time.Unix(1, 0)) })() // aborts the request
			_ = o.conn.SetDeadline(time.Time{})                                                // removes the deadline of the connection phase
			answer, err := ask(o.conn, o.in, "delete "+m.cfg.Prefix+lookKey)
			if err == nil && answer != "NOT_FOUND" && answer != "DELETED" {
				err = errors.New(answer)
			}
			return err
		},
		shut: func(o open) { o.conn.Close() },
	}
}
