package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
)

// Memcached is memcached. It stores all data in memory: every restart loses it.
type Memcached struct{}

var _ Clockless = Memcached{}

// Args returns its arguments. memcached refuses to run as root without the argument -u root.
func (Memcached) Args(s cluster.Spec, root bool) []string {
	args := []string{"-l", "127.0.0.1", "-p", strconv.Itoa(s.Ports[0]), "-U", "0", "-m", "64", "-t", "2"}
	if root {
		args = append(args, "-u", "root")
	}
	return append(args, s.Args...)
}

// Ready asks for the version.
func (Memcached) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", Addr(s))
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprint(c, "version\r\n"); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return "", err
	}
	version, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION ")
	if !ok {
		return "", fmt.Errorf("the server answered %q", line)
	}
	return "memcached " + version, nil
}

// WhyNoClock implements Clockless: memcached measures expiries with the monotonic clock.
func (Memcached) WhyNoClock() string {
	return "memcached counts its expiries on the monotonic clock"
}
