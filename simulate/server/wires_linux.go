package server

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
	"locktorture/simulate/resp"
)

// wires are the connections to a redis-server. They block this thread: an answer takes a few
// microseconds, and to be woken by Go's poller takes longer.
type wires struct {
	socket string
	conns  map[int]*wire
	own    *wire
	buf    []byte
	hello  int
}

// A wire is one connection.
type wire struct {
	fd     int
	in     feed
	out    []byte // a reply that has not come whole
	pushed bool   // it can be sent what it has not asked for
}

func newWires(socket string) (*wires, error) {
	w := &wires{socket: socket, conns: map[int]*wire{}, buf: make([]byte, 64<<10)}
	var err error
	w.own, err = w.dial()
	return w, err
}

func (w *wires) dial() (*wire, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err = rawio.Bound(fd, startLimit); err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: w.socket})
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &wire{fd: fd}, nil
}

func (w *wires) connect(conn int) (err error) {
	w.conns[conn], err = w.dial()
	return err
}

func (w *wires) disconnect(conn int) {
	if c := w.conns[conn]; c != nil {
		_ = unix.Close(c.fd)
		delete(w.conns, conn)
	}
}

func (w *wires) disconnectAll() {
	for conn := range w.conns {
		w.disconnect(conn)
	}
}

func (w *wires) close() {
	w.disconnectAll()
	if w.own != nil {
		_ = unix.Close(w.own.fd)
	}
}

// feed hands over what is complete by now, and takes all answers.
func (w *wires) feed(conn int, b []byte, out func(conn int, b []byte)) error {
	c := w.conns[conn]
	if c == nil {
		return nil
	}
	all, err := c.in.add(b)
	if err != nil || len(all) == 0 {
		return err
	}
	barrier := false
	for _, cmd := range all {
		if cmd.subscribes() || cmd.tracks() {
			c.pushed = true
		}
		barrier = barrier || cmd.subscribes()
	}
	for _, cmd := range all {
		if err := c.write(cmd.raw); err != nil {
			return err
		}
		if !cmd.subscribes() {
			err = w.reply(c, func(b []byte) { out(conn, w.plain(cmd, b)) })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", cmd.name, err)
		}
	}
	return w.pushes(barrier, out)
}

// plain is the reply without what differs from run to run.
func (w *wires) plain(cmd command, b []byte) []byte {
	if cmd.name == "HELLO" {
		w.hello++
		return renumber(b, w.hello)
	}
	return b
}

// pushes takes what the server has sent unasked. It writes that before it answers a connection
// that asks later; two questions, because the answer to the first may be in the same round as
// the pushes.
func (w *wires) pushes(barrier bool, out func(conn int, b []byte)) error {
	var numbers []int
	for n, c := range w.conns {
		if c.pushed {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 && !barrier {
		return nil
	}
	for range 2 {
		if err := w.admin("PING"); err != nil {
			return err
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if err := w.drain(w.conns[n], func(b []byte) { out(n, b) }); err != nil {
			return err
		}
	}
	return nil
}

// drain takes what has arrived on a connection.
func (w *wires) drain(c *wire, out func(b []byte)) error {
	for {
		n, _, err := unix.Recvfrom(c.fd, w.buf, unix.MSG_DONTWAIT)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN || n <= 0 {
			break
		}
		c.out = append(c.out, w.buf[:n]...)
	}
	for len(c.out) > 0 {
		n, _, err := resp.Value(c.out)
		if err != nil {
			return err // the server writes whole values
		}
		out(slices.Clone(c.out[:n]))
		c.out = append(c.out[:0], c.out[n:]...)
	}
	return nil
}

// reply waits for one reply, and hands out the pushes before it, too.
func (w *wires) reply(c *wire, out func(b []byte)) error {
	for {
		n, push, err := resp.Value(c.out)
		switch {
		case err == nil:
			out(slices.Clone(c.out[:n]))
			c.out = append(c.out[:0], c.out[n:]...)
			if !push {
				return nil
			}
			continue
		case err != resp.ErrShort:
			return err
		}
		if n, err = rawio.Read(c.fd, w.buf); err != nil {
			return err
		}
		if n == 0 {
			return errors.New("it has closed the connection")
		}
		c.out = append(c.out, w.buf[:n]...)
	}
}

func (c *wire) write(b []byte) error { return rawio.Write(c.fd, b) }

// admin asks past the clients.
func (w *wires) admin(words ...string) error {
	if err := w.own.write(resp.Append(nil, words...)); err != nil {
		return err
	}
	var answer []byte
	if err := w.reply(w.own, func(b []byte) { answer = b }); err != nil {
		return err
	}
	if bytes.HasPrefix(answer, []byte("-")) {
		return fmt.Errorf("%s: %s", words[0], answer)
	}
	return nil
}
