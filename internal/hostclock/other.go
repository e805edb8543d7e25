//go:build !linux || !amd64 || simulated

package hostclock

import "time"

// Supported returns an error that wraps ErrNotHere.
func Supported() error { return ErrNotHere }

// A Clock is the wall clock of a process.
type Clock struct{}

// Plant returns an error that wraps ErrNotHere.
func Plant(int) (*Clock, error) { return nil, ErrNotHere }

// Set returns an error that wraps ErrNotHere.
func (*Clock) Set(time.Duration) error { return ErrNotHere }

// Sees returns an error that wraps ErrNotHere.
func Sees(time.Duration) error { return ErrNotHere }
