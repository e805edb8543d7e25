//go:build !wasip1 && !simulated

package gotest

import (
	"io"
	"os"
)

// host is where the requests of a client come from, and where its answers go to.
func host() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

// end does nothing: the test's own exit code counts.
func end(int) {}
