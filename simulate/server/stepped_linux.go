package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"locktorture/cluster/process/clock"
	"locktorture/internal/child"
	"locktorture/simulate/rawio"
)

// A Stepped is an unmodified redis-server whose wall clock stands still between two steps. It acts
// only on input: keys expire when they are accessed, and the server ends a wait that has timed out
// when it next does something for any client.
type Stepped struct {
	version string
	dir     string
	proc    *child.Child
	clock   *clock.Clock
	wires   *wires
	where   unix.CPUSet // processors on which it was last placed; empty: not placed
}

// ErrNoRedis reports that redis-server is missing or cannot be stepped.
var ErrNoRedis = errors.New("no redis-server that can be stepped")

// startLimit bounds the start of a server.
const startLimit = 20 * time.Second

// StartStepped starts a server. Its files are in a directory of its own, which Close removes.
func StartStepped(ctx context.Context) (s *Stepped, err error) {
	path, version, err := findRedis(ctx)
	if err != nil {
		return nil, err
	}
	object, err := clock.Build(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRedis, err)
	}
	// The path of a socket has at most a hundred bytes, so the directory is a short one.
	s = &Stepped{version: version}
	if s.dir, err = os.MkdirTemp("", "torture-sim-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	if s.clock, err = clock.New(object, filepath.Join(s.dir, "clock")); err != nil {
		return nil, err
	}
	if err := s.clock.Stand(1); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, s.args()...)
	cmd.Env = append(os.Environ(), s.clock.Env()...)
	if s.proc, err = child.Start(cmd, child.Options{What: "redis-server"}); err != nil {
		return nil, err
	}
	_, _ = rawio.TakeTurns(s.proc.PID()) // only for speed
	return s, s.ready(ctx)
}

func (s *Stepped) socket() string { return filepath.Join(s.dir, "socket") }

// args returns the server's arguments. Its own timer ticks as rarely as possible.
func (s *Stepped) args() []string {
	args := []string{
		"--port", "0", "--unixsocket", s.socket(), "--dir", s.dir, "--logfile", filepath.Join(s.dir, "log"),
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--hz", "1", "--dynamic-hz", "no",
	}
	major, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(s.version))
	if major >= 6 {
		// The thread computes deadlines from the stopped clock, finds them expired, and would spin.
		args = append(args, "--jemalloc-bg-thread", "no")
	}
	if major >= 7 {
		args = append(args, "--enable-debug-command", "yes", "--latency-tracking", "no")
	}
	return args
}

// findRedis returns the path and the version of redis-server.
func findRedis(ctx context.Context) (path, version string, err error) {
	if path, err = exec.LookPath("redis-server"); err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNoRedis, err)
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	m := regexp.MustCompile(`v=(\S+)`).FindSubmatch(out)
	if err != nil || m == nil {
		return "", "", fmt.Errorf("%w: %s --version says %q, %w", ErrNoRedis, path, out, err)
	}
	return path, string(m[1]), nil
}

// ready waits until the server answers.
func (s *Stepped) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		var err error
		if s.wires, err = newWires(s.socket()); err == nil {
			// Keys must expire only when they are accessed.
			return errors.Join(s.wires.admin("DEBUG", "SET-ACTIVE-EXPIRE", "0"), s.wires.remember())
		}
		select {
		case <-s.proc.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("%w: %w: %s", ErrNoRedis, s.proc.Err(), log)
		case <-ctx.Done():
			return fmt.Errorf("redis-server does not answer: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Version returns the version of the server.
func (s *Stepped) Version() string { return "redis " + s.version }

// Connect opens a connection.
func (s *Stepped) Connect(conn int) error { return s.wires.connect(conn) }

// Disconnect closes a connection.
func (s *Stepped) Disconnect(conn int) { s.wires.disconnect(conn) }

// Feed implements Server.
func (s *Stepped) Feed(wall int64, conn int, b []byte, out func(conn int, b []byte)) error {
	all, err := s.wires.take(conn, b)
	if err == nil && len(all) > 0 {
		if err = s.stand(wall); err == nil {
			err = s.wires.give(conn, all, out)
		}
	}
	if err != nil {
		return fmt.Errorf("redis-server: %w", err)
	}
	return nil
}

// stand sets the clock. If clients wait in the server, it first handles earlier connects and
// disconnects at the old time: handling them ends waits that have timed out, and must not happen at
// the new time before the command.
func (s *Stepped) stand(wall int64) error {
	if s.wires.waiting() {
		if err := s.wires.admin("PING"); err != nil {
			return err
		}
	}
	return s.clock.Stand(wall)
}

// Waiting implements Server.
func (s *Stepped) Waiting() bool { return s.wires.waiting() }

// Restart closes all connections. The process keeps running, since a new one would start in the
// same state.
func (s *Stepped) Restart(lost bool) error {
	s.wires.disconnectAll()
	if err := s.wires.restore(lost); err != nil {
		return fmt.Errorf("redis-server: restart: %w", err)
	}
	todo := [][]string{{"PING"}, {"SCRIPT", "FLUSH"}}
	if lost {
		todo = append(todo, []string{"FLUSHALL"})
	}
	for _, c := range todo {
		if err := s.wires.admin(c...); err != nil {
			return fmt.Errorf("redis-server: restart: %w", err)
		}
	}
	return nil
}

// Reset restores the state after the start. It also moves the server to the processors of this
// thread.
func (s *Stepped) Reset() error {
	s.follow()
	s.wires.count = counter{}
	return s.Restart(true)
}

// follow places the server on the processors of this thread. A failure only costs speed.
func (s *Stepped) follow() {
	var where unix.CPUSet
	if unix.SchedGetaffinity(0, &where) != nil || where == s.where {
		return
	}
	if unix.SchedSetaffinity(s.proc.PID(), &where) == nil {
		s.where = where
	}
}

// Close stops the server and removes its files.
func (s *Stepped) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var err error
	if s.wires != nil {
		s.wires.close()
	}
	if s.proc != nil {
		err = s.proc.Kill(ctx)
	}
	if s.clock != nil {
		err = errors.Join(err, s.clock.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
