package child

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// Pause stops the child (SIGSTOP) and returns when all threads of its family were seen
// stopped. A pause that was not seen is taken back.
func (c *Child) Pause(ctx context.Context) error {
	err := c.follow(ctx, "stop", syscall.SIGSTOP, Stat.Stopped)
	if err != nil && c.Alive() {
		_ = c.Signal(syscall.SIGCONT)
	}
	return err
}

// Resume continues it (SIGCONT) and returns when no thread of its family was seen
// stopped.
func (c *Child) Resume(ctx context.Context) error {
	return c.follow(ctx, "continue", syscall.SIGCONT, func(s Stat) bool { return !s.Stopped() })
}

// follow sends a signal and looks until all threads have followed it. Those that
// have left the group are told again: they may have been started in between.
func (c *Child) follow(ctx context.Context, what string, sig syscall.Signal, followed func(Stat) bool) error {
	if err := c.Signal(sig); err != nil {
		return err
	}
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		f := c.family()
		letters := f.states()
		if all(letters, followed) {
			return nil
		}
		for _, pid := range f.left {
			_ = syscall.Kill(pid, sig)
		}
		select {
		case <-c.done:
			return c.err
		case <-ctx.Done():
			return c.failed(what, fmt.Errorf("its threads are in the states %q: %w", letters, ctx.Err()))
		case <-time.After(wait):
		}
	}
}

// all reports whether there are threads, and all are as wanted.
func all(letters []byte, wanted func(Stat) bool) bool {
	for _, l := range letters {
		if !wanted(Stat{State: l}) {
			return false
		}
	}
	return len(letters) > 0
}

// Kill ends the child (SIGKILL) and returns when it and its family are gone. The error is also
// Strays. A second Kill does nothing more.
func (c *Child) Kill(ctx context.Context) error {
	if !c.Alive() {
		return c.strays
	}
	if err := c.killLeft(ctx); err != nil {
		return err
	}
	_ = syscall.Kill(-c.pid, syscall.SIGKILL) // it may be gone by now; the wait below decides
	select {
	case <-c.done:
		return c.strays
	case <-ctx.Done():
		return c.failed("kill", ctx.Err())
	}
}

// goneTime is how long killed processes may take to go.
const goneTime = 5 * time.Second

// killLeft ends those that have left the group. What stands still makes no more of them.
func (c *Child) killLeft(ctx context.Context) error {
	if len(c.family().left) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, goneTime)
	defer cancel()
	_ = syscall.Kill(-c.pid, syscall.SIGSTOP)
	for left := c.family().left; len(left) > 0; left = living(left) {
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return c.failed("kill", fmt.Errorf("processes %v are still there: %w", left, ctx.Err()))
		}
	}
	return nil
}

// living returns those processes that have not ended.
func living(pids []int) (alive []int) {
	for _, pid := range pids {
		if s, err := ReadStat(pid); err == nil && !s.Ended() {
			alive = append(alive, pid)
		}
	}
	return alive
}

func (c *Child) failed(what string, err error) error {
	return fmt.Errorf("%s %s %d: %w", what, c.options.What, c.pid, err)
}
