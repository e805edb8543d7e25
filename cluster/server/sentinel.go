package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
)

// Sentinel is redis-server as a sentinel. The arguments of its node are lines of its configuration,
// in which the sentinel also stores its state.
type Sentinel struct{}

var _ Clocked = Sentinel{}

// Args returns its arguments; file is the path of its configuration.
func (Sentinel) Args(file string) []string { return []string{file, "--sentinel"} }

// WriteConfig writes its configuration to file. It keeps an existing file, because the sentinel
// stores in it the servers that it watches. data is the working directory as the sentinel sees it.
func (Sentinel) WriteConfig(s cluster.Spec, file, data string) error {
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := append([]string{
		"port " + strconv.Itoa(s.Ports[0]), "bind 127.0.0.1", "dir " + strconv.Quote(data), "protected-mode no", "daemonize no",
	}, s.Args...)
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// Ready reads the version from INFO.
func (Sentinel) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	if err := listens(ctx, Addr(s)); err != nil {
		return "", err
	}
	info, err := redisInfo(ctx, Addr(s), "server")
	if err != nil {
		return "", err
	}
	return "redis-sentinel " + info["redis_version"], nil
}

// Now reads the time from INFO, because a sentinel has no TIME command.
func (Sentinel) Now(ctx context.Context, addr string) (time.Time, error) {
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
