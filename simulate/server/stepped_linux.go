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

// A Stepped is a redis-server as it is, whose wall clock stands still between two steps. It acts
// only on what it is sent: keys expire when they are asked for, and who waits for a time is told
// that it is over when the server next does something for anybody.
type Stepped struct {
	version string
	dir     string
	proc    *child.Child
	clock   *clock.Clock
	wires   *wires
	where   unix.CPUSet // the processors on which it was let be; none: it was not told
}

// ErrNoRedis is returned where there is no redis-server, or none that can be stepped.
var ErrNoRedis = errors.New("no redis-server that can be stepped")

// startLimit bounds the start of a server.
const startLimit = 20 * time.Second

// StartStepped starts one. Its files are in a directory of its own, which Close removes.
func StartStepped(ctx context.Context) (s *Stepped, err error) {
	path, version, err := findRedis(ctx)
	if err != nil {
		return nil, err
	}
	object, err := clock.Build(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRedis, err)
	}
	// A path of a socket has a hundred bytes at most.
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
	_, _ = rawio.TakeTurns(s.proc.PID()) // else it is slower, and no more
	return s, s.ready(ctx)
}

func (s *Stepped) socket() string { return filepath.Join(s.dir, "socket") }

// args are its arguments. Its own timer ticks as seldom as it can.
func (s *Stepped) args() []string {
	args := []string{
		"--port", "0", "--unixsocket", s.socket(), "--dir", s.dir, "--logfile", filepath.Join(s.dir, "log"),
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--hz", "1", "--dynamic-hz", "no",
	}
	major, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(s.version))
	if major >= 6 {
		// It waits until times of a clock that stands still, which are over: it would wait in
		// a circle.
		args = append(args, "--jemalloc-bg-thread", "no")
	}
	if major >= 7 {
		args = append(args, "--enable-debug-command", "yes", "--latency-tracking", "no")
	}
	return args
}

// findRedis finds the program and its version.
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
			// Nothing may expire but when it is asked for.
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

// Connect makes a connection.
func (s *Stepped) Connect(conn int) error { return s.wires.connect(conn) }

// Disconnect ends one.
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

// stand sets the clock. Where clients wait, what connected or left before is noticed first: the
// server looks then for clients whose time is over, and would do so before it does what is about
// to come.
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

// Restart ends all connections. The process stays: what another would find is the same.
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

// Reset makes it as it was when it had started. It goes to the processors of this thread.
func (s *Stepped) Reset() error {
	s.follow()
	s.wires.count = counter{}
	return s.Restart(true)
}

// follow lets the server be where this thread may be. Elsewhere it is slower, and no more.
func (s *Stepped) follow() {
	var where unix.CPUSet
	if unix.SchedGetaffinity(0, &where) != nil || where == s.where {
		return
	}
	if unix.SchedSetaffinity(s.proc.PID(), &where) == nil {
		s.where = where
	}
}

// Close ends the server and removes its files.
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
