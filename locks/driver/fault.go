package driver

import (
	"cmp"
	"errors"
)

// ErrNoProtocol is wrapped by the error of a driver whose stdout contains a line outside of the
// protocol.
var ErrNoProtocol = errors.New("no line of the protocol")

// ErrRefused is wrapped by the error of a driver that runs but answered open with an error.
var ErrRefused = errors.New("refused to open its lock")

// A refusedError is the error in a driver's reply to open.
type refusedError struct{ error }

// Unwrap returns the driver's error and ErrRefused.
func (e refusedError) Unwrap() []error { return []error{e.error, ErrRefused} }

// An Error is a fault of a program that the user provides, usually a driver: it is missing, ends,
// breaks the protocol, or cannot open its lock. Neither the harness nor the lock is to blame.
type Error struct {
	What string // kind of the program; "": a driver
	Name string // the program's command line
	Err  error
	Said string // the end of its stderr; may be empty
	Next string // a hint for the driver's author; may be empty
}

// Error returns the full description, on several lines.
func (e *Error) Error() string {
	text := cmp.Or(e.What, "driver") + " " + e.Name + ": " + e.Err.Error()
	if e.Said != "" {
		text += "\nit wrote to stderr:\n" + e.Said
	}
	if e.Next != "" {
		text += "\nhint: " + e.Next
	}
	return text
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// fault applies Blame to an error of the process.
func (c *Client) fault(err error) error {
	if err == nil || c.blame == nil {
		return err
	}
	return c.blame(err)
}
