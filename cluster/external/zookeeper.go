package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

// A zookeeper is the client side of one ZooKeeper ensemble.
type zookeeper struct{ cfg Config }

func newZooKeeper(cfg Config) service { return &zookeeper{cfg} }

// version sends the word srvr, which a server may reject.
func (z *zookeeper) version(ctx context.Context, addr string) (string, error) {
	conn, err := z.cfg.Dial(ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end) // an answer also arrives without the deadline
	}
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(io.LimitReader(conn, 1<<16))
	if err != nil && len(answer) == 0 {
		return "", err
	}
	first, _, _ := strings.Cut(string(answer), "\n")
	v, ok := strings.CutPrefix(first, "Zookeeper version: ")
	if !ok {
		return unknown("srvr is not among its 4lw.commands.whitelist"), nil
	}
	v, _, _ = strings.Cut(v, ",")
	return v, nil
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// connect returns at once; the library opens the session in the background.
func (z *zookeeper) connect(ctx context.Context, endpoints []string) (*zk.Conn, error) {
	c, _, err := zk.Connect(endpoints, 5*time.Second, zk.WithLogger(quiet{}), zk.WithLogInfo(false),
		zk.WithDialer(func(network, addr string, timeout time.Duration) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
			defer cancel()
			return z.cfg.Dial(ctx, network, addr)
		}))
	return c, err
}

// within calls do with a session, and closes it afterwards.
func (z *zookeeper) within(ctx context.Context, do func(*zk.Conn) error) error {
	c, err := z.connect(ctx, z.cfg.Endpoints)
	if err != nil {
		return err
	}
	defer c.Close()
	done := make(chan error, 1)
	go func() {
		if z.cfg.User != "" {
			if err := c.AddAuth("digest", []byte(z.cfg.User+":"+z.cfg.Password)); err != nil {
				done <- err
				return
			}
		}
		done <- do(c)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// some checks whether the node of the prefix exists.
func (z *zookeeper) some(ctx context.Context) (found string, err error) {
	err = z.within(ctx, func(c *zk.Conn) error {
		there, _, err := c.Exists(z.cfg.Prefix)
		if there {
			found = z.cfg.Prefix
		}
		return err
	})
	return found, err
}

// prepare creates the node of the prefix. Its parents must exist.
func (z *zookeeper) prepare(ctx context.Context) error {
	return z.within(ctx, func(c *zk.Conn) error {
		_, err := c.Create(z.cfg.Prefix, nil, 0, zk.WorldACL(zk.PermAll))
		if err != nil {
			return fmt.Errorf("make node %s: %w", z.cfg.Prefix, err)
		}
		return nil
	})
}

func (z *zookeeper) sweep(ctx context.Context) (n int, err error) {
	err = z.within(ctx, func(c *zk.Conn) error {
		n, err = remove(c, z.cfg.Prefix)
		return err
	})
	return n, err
}

// remove removes a node and its descendants, and returns their number. A node that got new children
// meanwhile remains but is counted, so that the next sweep removes it.
func remove(c *zk.Conn, path string) (int, error) {
	names, _, err := c.Children(path)
	if errors.Is(err, zk.ErrNoNode) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	all := 0
	for _, name := range names {
		n, err := remove(c, path+"/"+name)
		all += n
		if err != nil {
			return all, err
		}
	}
	switch err := c.Delete(path, -1); {
	case err == nil, errors.Is(err, zk.ErrNotEmpty):
		return all + 1, nil
	case errors.Is(err, zk.ErrNoNode):
		return all, nil
	default:
		return all, err
	}
}

// looker deletes a missing node, which needs the majority. The library reconnects by itself and
// observes no deadline.
func (z *zookeeper) looker(s server) looker {
	return &kept[*zk.Conn]{
		open: func(ctx context.Context) (*zk.Conn, error) { return z.connect(ctx, []string{s.addr}) },
		ask: func(ctx context.Context, c *zk.Conn) error {
			done := make(chan error, 1)
			go func() { done <- c.Delete(z.cfg.Prefix+"/"+lookKey, -1) }()
			select {
			case err := <-done:
				if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrNoAuth) {
					return nil
				}
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		shut: func(c *zk.Conn) { c.Close() },
	}
}
