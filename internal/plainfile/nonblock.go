//go:build !wasip1

package plainfile

import "syscall"

// nonblock lets a pipe be opened at once, to be refused then.
const nonblock = syscall.O_NONBLOCK
