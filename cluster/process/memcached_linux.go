package process

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
)

// memcachedServer is memcached. It keeps everything in memory: a restart
// loses it, wiped or not.
type memcachedServer struct{}

var _ clockless = memcachedServer{}

func (memcachedServer) find(look lookup) (string, error) { return look.sbin("memcached") }

func (memcachedServer) command(_ context.Context, s cluster.Spec, _ string) ([]string, error) {
	args := []string{"-l", "127.0.0.1", "-p", strconv.Itoa(s.Ports[0]), "-U", "0", "-m", "64", "-t", "2"}
	if os.Getuid() == 0 {
		args = append(args, "-u", "root")
	}
	return append(args, s.Args...), nil
}

func (memcachedServer) ready(ctx context.Context, s cluster.Spec) (string, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", addrOf(s))
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
		return "", fmt.Errorf("it answers %q", line)
	}
	return "memcached " + version, nil
}

func (memcachedServer) whyNoClock() string {
	return "memcached counts its expiries on the monotonic clock"
}
