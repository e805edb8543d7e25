//go:build wasip1

package driver

import (
	"io"
	"unsafe"
)

// monotonic is the id of the monotonic clock in WASI.
const monotonic = 1

//go:wasmimport wasi_snapshot_preview1 clock_time_get
//go:noescape
func clockTimeGet(id uint32, precision uint64, ns unsafe.Pointer) uint32

// Monotonic reads the monotonic clock of the host, in ns. All guests of a host share it.
func Monotonic() int64 {
	var ns int64
	if clockTimeGet(monotonic, 1, unsafe.Pointer(&ns)) != 0 {
		return 0 // every host has this clock
	}
	return ns
}

// pollable returns the input unchanged, because the runtime polls every descriptor that the host
// marks as non-blocking.
func pollable(in io.Reader) (io.Reader, func()) { return in, func() {} }
