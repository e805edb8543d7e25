package driver

import (
	"io"
	"time"
)

// A Command describes the start of a driver.
type Command struct {
	Path string
	// Args are the arguments, without the program's name.
	Args []string
	// Dir is the working directory. "" means the directory of this process.
	Dir string
	// Env is the environment. nil means the environment of this process.
	Env []string
	// Stderr receives the driver's stderr. nil discards it.
	Stderr io.Writer
	// Tap, if not nil, is called with every line of the protocol, in order for each direction.
	// It must be safe for concurrent use.
	Tap func(Line)
	// Sweep makes Kill and Close look for processes that the driver started and that left its
	// process group. Faults would neither pause nor kill such processes. Kill and Close end them
	// and return an error that names them.
	Sweep bool
	// HostClock makes SetClock move the wall clock of the whole process (see package hostclock)
	// instead of the clock that the driver hands to its lock. It is for locks that read the host's
	// clock. Start fails if the host does not support it.
	HostClock bool
	// Grace is the time for which an ended call waits for the driver's final answer, not counting
	// pauses of the driver. Default 2 s.
	Grace time.Duration
	// Blame turns an error of the process, as Err and Close return it, into one that names the
	// culprit (see Error). nil leaves errors unchanged.
	Blame func(error) error
}

// A Line is one line of the protocol, without its end.
type Line struct {
	// Sent reports that the line was sent to the driver. It is false for a line from the driver.
	Sent bool
	Text string
}
