package memcached

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"locktorture/locks"
)

// entering dials, and sends user and password if there are any: a server that is started with
// an authentication file takes them in the value of any first set.
func entering(access *locks.Access) func(ctx context.Context, network, addr string) (net.Conn, error) {
	user, password := access.Login()
	if user == "" {
		return access.Dial
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := access.Dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if err := login(ctx, conn, user, password); err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	}
}

func login(ctx context.Context, conn net.Conn, user, password string) error {
	if end, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(end); err != nil {
			return err
		}
	}
	value := user + " " + password
	if _, err := fmt.Fprintf(conn, "set login 0 0 %d\r\n%s\r\n", len(value), value); err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n') // nothing follows it
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if strings.TrimSpace(line) != "STORED" {
		return fmt.Errorf("log in: the server answers %q", strings.TrimSpace(line))
	}
	return conn.SetDeadline(time.Time{})
}
