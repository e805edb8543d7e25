package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A child is a server process that runs, or has ended.
type child struct {
	pid  int
	done chan struct{} // closed when it has ended
	err  error         // why, once done is closed
}

// spawn starts a process in a group of its own that the kernel kills when this
// program dies. The kernel sends that signal when the *thread* that started the child
// ends, so a thread is kept for each child as long as it lives.
func spawn(program string, args, env []string, dir string, log *os.File) (*child, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c := &child{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return c, nil
}

// alive tells whether the process has not ended.
func (c *child) alive() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// signal sends a signal to the whole process group, and to children that have
// left it.
func (c *child) signal(s syscall.Signal) error {
	if s == syscall.SIGKILL && len(c.strays()) > 0 {
		// A parent that stands still makes no more of them.
		_ = syscall.Kill(-c.pid, syscall.SIGSTOP)
		if err := c.signalStrays(s); err != nil {
			return err
		}
	}
	if err := syscall.Kill(-c.pid, s); err != nil {
		return fmt.Errorf("send %v to process group %d: %w", s, c.pid, err)
	}
	if s == syscall.SIGKILL {
		return nil
	}
	return c.signalStrays(s)
}
