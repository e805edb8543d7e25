// Package hostclock moves the wall clock of one process while that of the host stays.
//
// A program in Go asks no library for the time that could be preloaded, but the code that the
// kernel maps into each process, its vDSO. Plant replaces the answer to clock_gettime there, in
// that process alone, before its first instruction: it asks the kernel, and adds an offset to
// CLOCK_REALTIME. All other clocks, the monotonic among them, stay: durations are what they
// were, as on a host whose clock is set. Timers of the process wait as long as before.
//
// It needs Linux on amd64. In a time namespace only monotonic clocks can be moved, and those
// only before the first process enters it.
package hostclock

import "errors"

// ErrNotHere is wrapped where the wall clock of a process cannot be moved.
var ErrNotHere = errors.New("the wall clock of one process can be moved on Linux on amd64 alone")
