package main

import (
	"fmt"
	"unsafe"
)

// hostAsk asks the host a question, a text of n bytes; inside.AskGate and the others.
//
//go:wasmimport torture ask
//go:noescape
func hostAsk(question unsafe.Pointer, n uint32) int32

// ask asks the host, and returns its answer.
func ask(question string, args ...any) int {
	q := fmt.Sprintf(question, args...)
	return int(hostAsk(unsafe.Pointer(unsafe.StringData(q)), uint32(len(q))))
}
