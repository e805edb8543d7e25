package driver

import "errors"

// ErrNoProtocol is wrapped where a driver writes to its stdout what is no line of the
// protocol.
var ErrNoProtocol = errors.New("no line of the protocol")

// ErrRefused is what an error wraps that came as a driver's reply to open: it runs, and has no
// lock.
var ErrRefused = errors.New("refused to open its lock")

// A refusedError is such an error, in the words of the driver.
type refusedError struct{ error }

// Unwrap returns both.
func (e refusedError) Unwrap() []error { return []error{e.error, ErrRefused} }

// An Error is the fault of a program that speaks the protocol and is not this one: it is not
// there, ends, breaks the protocol, or cannot open its lock. Neither the harness nor the lock
// is to blame.
type Error struct {
	Name string // its command line
	Err  error
	Said string // the end of what it wrote to stderr; may be empty
	Next string // what its author can do
}

// Error says all of it, on several lines.
func (e *Error) Error() string {
	text := "driver " + e.Name + ": " + e.Err.Error()
	if e.Said != "" {
		text += "\nit wrote to stderr:\n" + e.Said
	}
	if e.Next != "" {
		text += "\nhint: " + e.Next
	}
	return text
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// fault is what an error of the process is to who started it.
func (c *Client) fault(err error) error {
	if err == nil || c.blame == nil {
		return err
	}
	return c.blame(err)
}
