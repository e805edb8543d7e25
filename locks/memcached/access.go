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

// entering returns a dial function that logs in if there is a user: a server with an authentication
// file accepts user and password as the value of any first set.
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

// login sends the credentials on a new connection, within the deadline of ctx.
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
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n') // the server sends nothing after it
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if strings.TrimSpace(line) != "STORED" {
		return fmt.Errorf("log in: the server answered %q", strings.TrimSpace(line))
	}
	return conn.SetDeadline(time.Time{})
}
