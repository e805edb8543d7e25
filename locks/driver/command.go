package driver

import (
	"io"
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
	// HostClock: SetClock moves the wall clock of the whole process (see package hostclock) and
	// not what the driver gives to its lock, because that asks the host for the time. Start
	// fails where that cannot be done.
	HostClock bool
	// Grace is how long an ended call waits for the driver's last word, not
	// counting the time for which the driver is stopped. Default 2 s.
	Grace time.Duration
	// Blame makes of what is wrong with the process an error that says whose fault it is
	// (Error), where that is not this program. It sees the errors of Err and Close. nil: they
	// stay as they are.
	Blame func(error) error
}

// A Line is one line of the protocol, without its end.
type Line struct {
	Sent bool // to the driver
	Text string
}
