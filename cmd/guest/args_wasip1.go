package main

import (
	"bytes"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 args_sizes_get
//go:noescape
func argsSizes(n, size *uint32) uint32

//go:wasmimport wasi_snapshot_preview1 args_get
//go:noescape
func argsGet(at *uint32, text *byte) uint32

// arguments returns the arguments of this process. os.Args cannot be used: it was set when the
// program was initialized, and all processes share it.
func arguments() (all []string) {
	var n, size uint32
	if argsSizes(&n, &size) != 0 || n == 0 || size == 0 {
		return nil
	}
	at, text := make([]uint32, n), make([]byte, size)
	if argsGet(unsafe.SliceData(at), unsafe.SliceData(text)) != 0 {
		return nil
	}
	for word := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte{0}), []byte{0}) {
		all = append(all, string(word))
	}
	return all
}
