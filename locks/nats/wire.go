package nats

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"locktorture/locks"
)

// A wire is a connection to a nats-server with one request in progress at a time. It implements the
// few messages of the client protocol that this requires.
type wire struct {
	conn  net.Conn
	in    *bufio.Reader
	asked int
}

// dial connects to the first server that answers.
func dial(ctx context.Context, endpoints []string) (w *wire, err error) {
	err = fmt.Errorf("no endpoint")
	for _, addr := range endpoints {
		var conn net.Conn
		if conn, err = (*locks.Access)(nil).Dial(ctx, "tcp", addr); err != nil {
			continue
		}
		w = &wire{conn: conn, in: bufio.NewReader(conn)}
		if err = w.greet(ctx); err == nil {
			return w, nil
		}
		w.close()
	}
	return nil, fmt.Errorf("connect: %w", err)
}

func (w *wire) close() { _ = w.conn.Close() }

// limit sets the deadline of ctx for the following messages.
func (w *wire) limit(ctx context.Context) error {
	end, ok := ctx.Deadline()
	if !ok {
		end = time.Time{}
	}
	return w.conn.SetDeadline(end)
}

// greet introduces the client after the server's greeting, and subscribes to the answers.
func (w *wire) greet(ctx context.Context) error {
	if err := w.limit(ctx); err != nil {
		return err
	}
	line, err := w.in.ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "INFO ") {
		return fmt.Errorf("the server sent %.40q and is no nats-server", line)
	}
	_, err = fmt.Fprintf(w.conn, "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"go\",\"version\":\"torture\"}\r\nSUB %s.* 1\r\n", w.inbox())
	return err
}

// inbox returns the subject prefix of the answers to this connection.
func (w *wire) inbox() string {
	return "_INBOX.torture." + strings.NewReplacer(".", "-", ":", "-").Replace(w.conn.LocalAddr().String())
}

// request sends a message and returns the answer to it. It skips late answers to earlier requests.
func (w *wire) request(ctx context.Context, subject string, body []byte) ([]byte, error) {
	if err := w.limit(ctx); err != nil {
		return nil, err
	}
	w.asked++
	to := fmt.Sprintf("%s.%d", w.inbox(), w.asked)
	if _, err := fmt.Fprintf(w.conn, "PUB %s %s %d\r\n%s\r\n", subject, to, len(body), body); err != nil {
		return nil, err
	}
	for {
		at, message, err := w.next()
		if err != nil || at == to {
			return message, err
		}
	}
}

// next reads until a message arrives, and returns its subject and its body.
func (w *wire) next() (to string, message []byte, err error) {
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			return "", nil, err
		}
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "INFO" || f[0] == "PONG" || f[0] == "+OK":
		case f[0] == "PING":
			if _, err := io.WriteString(w.conn, "PONG\r\n"); err != nil {
				return "", nil, err
			}
		case f[0] == "MSG" && len(f) >= 4:
			n, err := strconv.Atoi(f[len(f)-1])
			if err != nil || n < 0 || n > mostBytes {
				return "", nil, fmt.Errorf("a message of %s bytes", f[len(f)-1])
			}
			message := make([]byte, n+len("\r\n"))
			_, err = io.ReadFull(w.in, message)
			return f[1], message[:n], err
		default:
			return "", nil, fmt.Errorf("the server answered %.80q", line)
		}
	}
}

// mostBytes is the size of the largest accepted answer.
const mostBytes = 1 << 20
