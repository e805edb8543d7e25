package server

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"locktorture/internal/resp"
	"locktorture/simulate/rawio"
)

// wires holds the connections to a redis-server. They block this thread: an answer takes a few
// microseconds, less than waking up by Go's poller.
type wires struct {
	socket string
	conns  map[int]*wire
	own    *wire
	buf    []byte
	line   []byte
	count  counter
	kept   kept
}

// A wire is one connection.
type wire struct {
	fd     int
	own    asker
	in     feed
	out    []byte    // start of an incomplete reply
	pushed bool      // the server may push messages to it
	asked  []command // unanswered commands; the first waits in the server
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

// take adds input of a connection and returns the commands that are now complete.
func (w *wires) take(conn int, b []byte) ([]command, error) {
	if c := w.conns[conn]; c != nil {
		return c.in.add(b)
	}
	return nil, nil
}

// give sends the commands of a connection and collects all output of the server.
func (w *wires) give(conn int, all []command, out func(conn int, b []byte)) error {
	c := w.conns[conn]
	barrier := false
	for _, cmd := range all {
		w.kept.note(cmd)
		if cmd.subscribes() || cmd.tracks() {
			c.pushed = true
		}
		barrier = barrier || cmd.subscribes() || cmd.waits
	}
	step := len(all) // number of commands that are sent together
	if barrier || len(w.listening()) > 0 {
		step = 1 // the server sends its pushes between two commands
	}
	for some := range slices.Chunk(all, step) {
		if err := w.ask(conn, c, some, out); err != nil {
			return err
		}
	}
	return w.pushes(barrier, out)
}

// ask sends commands and collects the reply to each, unless the command may wait.
func (w *wires) ask(conn int, c *wire, all []command, out func(conn int, b []byte)) error {
	w.line = w.line[:0]
	for _, cmd := range all {
		w.line = append(w.line, cmd.raw...)
	}
	if err := c.write(w.line); err != nil {
		return err
	}
	for _, cmd := range all {
		if cmd.subscribes() {
			continue
		}
		if cmd.waits || len(c.asked) > 0 {
			c.asked = append(c.asked, cmd) // pushes collects the answer, even if it came at once
			continue
		}
		if err := w.reply(c, func(b []byte) { out(conn, w.count.plain(cmd, b, &c.own)) }); err != nil {
			return fmt.Errorf("%s: %w", cmd.name, err)
		}
	}
	return nil
}

// listening returns the connections that may receive output at any time, in order.
func (w *wires) listening() (numbers []int) {
	for n, c := range w.conns {
		if c.pushed || len(c.asked) > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// waiting reports whether a command waits in the server.
func (w *wires) waiting() bool {
	for _, c := range w.conns {
		if len(c.asked) > 0 {
			return true
		}
	}
	return false
}

// pushes collects pushes and delayed replies. The server writes them before it answers a later
// request of another connection. pushes sends two such requests, because the server may write
// the answer to the first one in the same round as the pushes.
func (w *wires) pushes(barrier bool, out func(conn int, b []byte)) error {
	numbers := w.listening()
	if len(numbers) == 0 && !barrier {
		return nil
	}
	for range 2 {
		if err := w.admin("PING"); err != nil {
			return err
		}
	}
	for _, n := range numbers {
		c := w.conns[n]
		if err := w.drain(c, func(b []byte, push bool) { out(n, w.late(c, b, push)) }); err != nil {
			return err
		}
	}
	return nil
}

// late returns a push or the reply to the first waiting command, without the parts that differ from
// run to run.
func (w *wires) late(c *wire, b []byte, push bool) []byte {
	if push || len(c.asked) == 0 {
		return b
	}
	cmd := c.asked[0]
	c.asked = c.asked[1:]
	return w.count.plain(cmd, b, &c.own)
}

// drain collects the bytes that have arrived on a connection.
func (w *wires) drain(c *wire, out func(b []byte, push bool)) error {
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
		n, push, err := resp.Reply(c.out)
		if err != nil {
			return err // the server writes whole values
		}
		out(slices.Clone(c.out[:n]), push)
		c.out = append(c.out[:0], c.out[n:]...)
	}
	return nil
}

// reply waits for one reply. It also passes on the pushes before it.
func (w *wires) reply(c *wire, out func(b []byte)) error {
	for {
		n, push, err := resp.Reply(c.out)
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
			return errors.New("the server closed the connection")
		}
		c.out = append(c.out, w.buf[:n]...)
	}
}

func (c *wire) write(b []byte) error { return rawio.Write(c.fd, b) }

// admin sends a command over the simulation's own connection and checks its success.
func (w *wires) admin(words ...string) error {
	_, err := w.answer(words...)
	return err
}

// answer sends a command over the simulation's own connection and returns the reply.
func (w *wires) answer(words ...string) (answer []byte, err error) {
	if err := w.own.write(resp.Append(nil, words...)); err != nil {
		return nil, err
	}
	if err := w.reply(w.own, func(b []byte) { answer = b }); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(answer, []byte("-")) {
		return nil, fmt.Errorf("%s: %s", words[0], answer)
	}
	return answer, nil
}
