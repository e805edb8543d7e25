// Package exit has the exit codes of torture and an error that carries one.
package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The exit codes. Where several apply the worst is given, see Worse.
const (
	OK          = 0
	Violated    = 1 // or not as expected
	BadUsage    = 2 // or unreadable input
	Unknown     = 3
	Harness     = 4 // it failed itself
	Driver      = 5 // a program of the user's that speaks the driver protocol failed
	Interrupted = 130
)

// An Error ends the program with a code. Its Err is nil if everything that is to be said was
// said.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// With gives an error a code; err may be nil.
func With(code int, err error) error { return &Error{code, err} }

// Silent ends the program with a code and says nothing more; nil for OK.
func Silent(code int) error {
	if code == OK {
		return nil
	}
	return &Error{Code: code}
}

// Usage marks an error as the user's.
func Usage(format string, args ...any) error {
	return &Error{BadUsage, fmt.Errorf(format, args...)}
}

// Broken marks an error as the harness's own.
func Broken(err error) error { return &Error{Harness, err} }

// Unusable reports whether a path, as it was named, cannot be made or written: another must be
// named. Below /proc nothing can be made, and the error is that there is no such file. A full
// disk is none of these.
func Unusable(err error) bool {
	for _, why := range []error{fs.ErrPermission, fs.ErrNotExist, syscall.ENOTDIR, syscall.EISDIR, syscall.EROFS, syscall.ENAMETOOLONG, syscall.ELOOP} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// Coded returns err with an exit code: its own if it has one, else the code of a failed
// harness.
func Coded(err error) error {
	code := Harness
	if e := new(Error); errors.As(err, &e) {
		code = e.Code
	}
	return With(code, err)
}

// Worse is the worse of two codes: interrupted, harness, driver, usage, violated, unknown, ok.
func Worse(a, b int) int {
	rank := map[int]int{OK: 0, Unknown: 1, Violated: 2, BadUsage: 3, Driver: 4, Harness: 5, Interrupted: 6}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
