//go:build !wasip1 && !simulated

package gotest

import (
	"io"
	"os"
)

// host returns the source of a client's requests and the destination of its answers.
func host() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

// end does nothing, because the test's own exit code counts.
func end(int) {}
