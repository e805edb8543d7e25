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
	// What is the kind of the program. "" means a driver.
	What string
	// Name is the program's command line.
	Name string
	Err  error
	// Said is the end of its stderr. It may be empty.
	Said string
	// Next is a hint for the driver's author. It may be empty.
	Next string
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
