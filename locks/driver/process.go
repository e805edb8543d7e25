package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// A Command says how to start a driver.
type Command struct {
	Path   string
	Args   []string  // without the name of the program
	Dir    string    // working directory; "": that of this process
	Env    []string  // nil: that of this process
	Stderr io.Writer // nil: discarded
	// Tap sees every line that is exchanged, in order for each direction; it
	// must be safe for use by several goroutines. nil: nobody looks.
	Tap func(Line)
	// Sweep looks for processes that the driver started and that left its
	// process group: they would be neither stopped nor killed. They are ended with it, and
	// Kill and Close return an error that names them.
	Sweep bool
	// Grace is how long an ended call waits for the driver's last word, not
	// counting the time for which the driver is stopped. Default 2 s.
	Grace time.Duration
}

// A Line is one line of the protocol, without its end.
type Line struct {
	Sent bool // to the driver
	Text string
}

// A process is a child in a process group of its own that dies with its parent.
type process struct {
	pid  int
	done chan struct{} // closed when it was waited for
	err  error         // how it ended; set before done is closed

	killed atomic.Bool // on purpose
	mark   mark        // of all that it starts; zero for none
	strays error       // names what had left its group; set before done is closed
}

// spawn starts a child. A parent-death signal is sent when the *thread* that
// forked dies, so that thread is kept for the child until its end.
func spawn(cmd *exec.Cmd, sweep bool) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second // for what the child's own children keep open
	p := &process{done: make(chan struct{})}
	if sweep {
		p.mark = newMark()
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(slices.Clip(cmd.Env), p.mark.env)
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		if cmd, err = p.mark.start(cmd); err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		close(started)
		p.endGroup(cmd.Process.Pid)
		err = cmd.Wait()
		if err == nil || errors.Is(err, exec.ErrWaitDelay) {
			err = errors.New("exited")
		}
		p.err = fmt.Errorf("driver process %d: %w", cmd.Process.Pid, err)
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start driver: %w", err)
	}
	return p, nil
}

// signal reaches the whole group, so that what a driver starts stops with it.
func (p *process) signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return p.err
	default:
	}
	if err := syscall.Kill(-p.pid, sig); err != nil {
		return fmt.Errorf("signal driver process %d with %v: %w", p.pid, sig, err)
	}
	return nil
}

func (p *process) pause(ctx context.Context) error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := p.await(ctx, "stop", func(states []byte) bool {
		return len(states) == bytes.Count(states, []byte("T"))+bytes.Count(states, []byte("t"))
	})
	if err != nil {
		_ = p.signal(syscall.SIGCONT) // a pause that was not seen must not be left behind
	}
	return err
}

func (p *process) resume(ctx context.Context) error {
	if err := p.signal(syscall.SIGCONT); err != nil {
		return err
	}
	return p.await(ctx, "continue", func(states []byte) bool {
		return !bytes.ContainsAny(states, "Tt")
	})
}

func (p *process) kill(ctx context.Context) error {
	select {
	case <-p.done:
		return p.strays
	default:
	}
	// The group may be gone between the two looks; the wait below decides.
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	select {
	case <-p.done:
		return p.strays
	case <-ctx.Done():
		return fmt.Errorf("kill driver process %d: %w", p.pid, ctx.Err())
	}
}

// await looks at the states of all threads of the group until they are as
// wanted. The leader alone would not do: the others stop a little later.
func (p *process) await(ctx context.Context, what string, ok func(states []byte) bool) error {
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		states, err := groupStates(p.pid)
		if err == nil && len(states) > 0 && ok(states) {
			return nil
		}
		select {
		case <-p.done:
			return p.err
		case <-ctx.Done():
			return fmt.Errorf("%s driver process %d (threads %s): %w", what, p.pid, states, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// threadStates returns the state letter of every thread of a process, as
// /proc/<pid>/task/*/stat shows it.
func threadStates(pid int) ([]byte, error) {
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	if err != nil {
		return nil, err
	}
	var states []byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		// The name in parentheses may itself contain parentheses.
		if i := bytes.LastIndexByte(b, ')'); i >= 0 && i+2 < len(b) {
			states = append(states, b[i+2])
		}
	}
	return states, nil
}
