package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// outputGrace is how long the output of a child is waited for that has ended, and whose
// own children keep it open.
const outputGrace = time.Second

// Start starts a command, whose context and WaitDelay are as in exec.Cmd. The kernel kills the
// child when the *thread* ends that forked it, so that a thread is kept for each child until
// its end.
func Start(cmd *exec.Cmd, o Options) (*Child, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = outputGrace
	}
	c := &Child{options: o, done: make(chan struct{})}
	if o.Sweep {
		c.mark = newMark()
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(slices.Clip(cmd.Env), c.mark.env)
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd, err := c.mark.start(cmd, o.Born)
		if err != nil {
			started <- err
			return
		}
		c.pid = cmd.Process.Pid
		close(started)
		c.wait(cmd)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", o.What, err)
	}
	return c, nil
}

// wait waits until the child has ended, and ends what is left of its group.
func (c *Child) wait(cmd *exec.Cmd) {
	await(c.pid, syscall.WEXITED)
	// It is not waited for yet, so that the number of the group can belong to nobody else.
	_ = syscall.Kill(-c.pid, syscall.SIGKILL) // an error means that nobody is left
	for _, pid := range c.orphans() {
		gone(pid)
	}
	c.endStrays()
	err := cmd.Wait()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		err = ErrExited
	}
	c.err = fmt.Errorf("%s %d: %w", c.options.What, c.pid, err)
	close(c.done)
}
