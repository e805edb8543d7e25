// Package child is the one supervisor of child processes. A child has a process
// group of its own and dies with this process, also when that is killed; it is stopped,
// continued and ended together with what it has started; and it counts as stopped
// when all threads of all of them are, because threads stop one after the other.
//
// It needs Linux. Elsewhere nothing is started, and Start says why.
package child

import "errors"

// ErrNotLinux is returned by Start elsewhere.
var ErrNotLinux = errors.New("a supervised process needs Linux: its death with its parent, and the look at its threads, depend on it")

// ErrExited is wrapped by Err of a child that has ended with exit status 0.
var ErrExited = errors.New("exited with status 0")

// Options say what a child may do. The zero value is a child that keeps to its group.
type Options struct {
	// What the child is, for errors: "driver process".
	What string
	// Roams: descendants of the child that have left its group, as those of PostgreSQL
	// do, are stopped, continued and killed with it. With Sweep that is so wherever they have
	// gone, also after the end of their parents.
	Roams bool
	// Sweep: when the child has ended, whatever it has started and what has left its group is
	// looked for on the whole machine, ended, and named by Strays.
	Sweep bool
	// Born is called with the number of the process while that stands at its first instruction,
	// traced by this thread. An error ends it, and is returned by Start.
	Born func(pid int) error
}

// A Child is a process that runs, or has ended. Its methods may be called from several
// goroutines.
type Child struct {
	options Options
	pid     int
	done    chan struct{} // closed when it was waited for
	err     error         // how it ended; set before done is closed
	mark    mark          // of all that it starts; zero for none
	strays  error         // names what had left its group; set before done is closed
}

// PID is the number of the process and of its group.
func (c *Child) PID() int { return c.pid }

// Done is closed when the child has ended and was waited for, and what was left of its
// group was ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Alive reports whether a child has not ended. One that is nil was never started.
func (c *Child) Alive() bool {
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

// Err says how the child ended, also if that was with exit status 0; nil while it runs.
func (c *Child) Err() error {
	if c.Alive() {
		return nil
	}
	return c.err
}

// Strays names what had left the group of a child that has ended, if Options.Sweep was set.
func (c *Child) Strays() error {
	if c.Alive() {
		return nil
	}
	return c.strays
}
