//go:build simulated

package main

import (
	"fmt"
	"os"
	"unsafe"

	"locktorture/simulate/nursery"
)

//go:linkname hostAsk runtime.host_ask
func hostAsk(question unsafe.Pointer, n int32) int32

// longest is how many bytes the host takes at once.
const longest = 32 << 10

// ask asks the host, and returns its answer.
func ask(question string, args ...any) int {
	q := fmt.Sprintf(question, args...)
	if len(q) > longest {
		fmt.Fprintf(os.Stderr, "a question of %d bytes is too long for the host\n", len(q))
		nursery.Exit(1)
	}
	return int(hostAsk(unsafe.Pointer(unsafe.StringData(q)), int32(len(q))))
}
