//go:build simulated

package driver

import _ "unsafe" // for go:linkname

// Monotonic reads the monotonic clock of the host, in ns. All guests of a host share it.
//
//go:linkname Monotonic runtime.host_now
func Monotonic() int64
