package server

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"

	"locktorture/cluster/embedded"
	"locktorture/internal/resp"
)

// An Embedded is a miniredis in this process.
type Embedded struct {
	redis *miniredis.Miniredis
	conns map[int]*embeddedConn
	buf   []byte
	count counter
}

type embeddedConn struct {
	net.Conn
	in  feed
	out []byte
	own asker
}

// NewEmbedded returns an empty server.
func NewEmbedded() *Embedded {
	e := &Embedded{buf: make([]byte, 64<<10)}
	e.fresh()
	return e
}

// fresh replaces the server with an empty one.
func (e *Embedded) fresh() {
	e.redis, e.conns, e.count = miniredis.NewMiniRedis(), map[int]*embeddedConn{}, counter{}
	e.redis.ClockTTL(true)
	e.redis.SetTime(time.Unix(0, 0))
}

// Version returns the version of miniredis.
func (e *Embedded) Version() string { return "miniredis " + embedded.Version }

// Connect opens a connection.
func (e *Embedded) Connect(conn int) error {
	c, err := e.redis.Dial()
	if err != nil {
		return fmt.Errorf("connect to miniredis: %w", err)
	}
	e.conns[conn] = &embeddedConn{Conn: c}
	return nil
}

// Disconnect closes a connection.
func (e *Embedded) Disconnect(conn int) {
	if c := e.conns[conn]; c != nil {
		_ = c.Close()
		delete(e.conns, conn)
	}
}

// answerLimit bounds the wait for an answer.
const answerLimit = 10 * time.Second

// Feed executes the complete commands one after the other.
func (e *Embedded) Feed(wall int64, conn int, b []byte, out func(conn int, b []byte)) error {
	c := e.conns[conn]
	if c == nil {
		return nil
	}
	e.redis.SetTime(time.Unix(0, wall))
	all, err := c.in.add(b)
	if err != nil {
		return err
	}
	for _, cmd := range all {
		switch {
		case cmd.subscribes() || cmd.tracks():
			return fmt.Errorf("%w: %s %s: miniredis pushes from threads of its own, and cannot be stepped; a redis-server can", ErrRefused, cmd.name, cmd.arg)
		case cmd.waits:
			return fmt.Errorf("%w: %s: miniredis waits in real time, and cannot be stepped; a redis-server can", ErrRefused, cmd.name)
		}
		reply, err := e.ask(c, cmd)
		if err != nil {
			return fmt.Errorf("%s: miniredis: %w", cmd.name, err)
		}
		out(conn, e.count.plain(cmd, reply, &c.own))
	}
	return nil
}

// Waiting returns false, because Feed refuses commands that wait.
func (e *Embedded) Waiting() bool { return false }

// ask sends a command and returns its reply.
func (e *Embedded) ask(c *embeddedConn, cmd command) ([]byte, error) {
	_ = c.SetDeadline(time.Now().Add(answerLimit))
	if _, err := c.Write(cmd.raw); err != nil {
		return nil, err
	}
	for {
		n, _, err := resp.Reply(c.out)
		if err == nil {
			reply := slices.Clone(c.out[:n])
			c.out = append(c.out[:0], c.out[n:]...)
			return reply, nil
		}
		if err != resp.ErrShort {
			return nil, err
		}
		n, err = c.Read(e.buf)
		if err != nil {
			return nil, err
		}
		c.out = append(c.out, e.buf[:n]...)
	}
}

// Restart closes all connections and forgets all scripts. With lost it also drops all data.
func (e *Embedded) Restart(lost bool) error {
	for conn := range e.conns {
		e.Disconnect(conn)
	}
	if lost {
		e.redis.FlushAll()
	}
	c, err := e.redis.Dial()
	if err != nil {
		return fmt.Errorf("restart miniredis: %w", err)
	}
	defer c.Close()
	_, err = e.ask(&embeddedConn{Conn: c}, command{name: "SCRIPT", raw: resp.Append(nil, "SCRIPT", "FLUSH")})
	return err
}

// Reset replaces the server with an empty one.
func (e *Embedded) Reset() error {
	if err := e.Close(); err != nil {
		return err
	}
	e.fresh()
	return nil
}

// Close stops the server.
func (e *Embedded) Close() error {
	for conn := range e.conns {
		e.Disconnect(conn)
	}
	e.redis.Close()
	return nil
}
