package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
)

// sentinelServer is redis-server as a sentinel. The arguments of its node are lines
// of its configuration, which it keeps its own state in: it lies beside the data, so
// that a sentinel that is started without its data still knows whom it watches.
type sentinelServer struct{}

var _ clocked = sentinelServer{}

func (sentinelServer) find(look lookup) (string, error) { return look.program("redis-server") }

func (sentinelServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	file := filepath.Join(filepath.Dir(data), "sentinel.conf")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		lines := append([]string{
			"port " + strconv.Itoa(s.Ports[0]), "bind 127.0.0.1", "dir " + strconv.Quote(data), "protected-mode no", "daemonize no",
		}, s.Args...)
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return []string{file, "--sentinel"}, nil
}

func (sentinelServer) ready(ctx context.Context, s cluster.Spec) (string, error) {
	// The client library would log that nobody listens yet.
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp4", addrOf(s))
	if err != nil {
		return "", err
	}
	c.Close()
	info, err := redisInfo(ctx, addrOf(s), "server")
	if err != nil {
		return "", err
	}
	return "redis-sentinel " + info["redis_version"], nil
}

// now is told by INFO, because a sentinel has no TIME.
func (sentinelServer) now(ctx context.Context, addr string) (time.Time, error) {
	info, err := redisInfo(ctx, addr, "server")
	if err != nil {
		return time.Time{}, err
	}
	us, err := strconv.ParseInt(info["server_time_usec"], 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask a sentinel for the time: %w", err)
	}
	return time.UnixMicro(us), nil
}
