package machine

import (
	"context"
	"errors"
	"fmt"
)

// An Engine runs what was compiled for wasip1. Package wasm below this one has it; a program that
// plays native guests only does without it, because it is slow to compile.
type Engine interface {
	// Compile makes code of a module whose memory has so many pages at the most, and which may
	// make these calls. cacheDir keeps the code from one program of this kind to the next; "" for
	// none.
	Compile(ctx context.Context, module []byte, cacheDir string, pages uint32, calls []Call) (Code, error)
}

// ErrNoEngine is returned where a guest in wasm is to be run by a program without an Engine.
var ErrNoEngine = errors.New("guests in wasm are run by another build of torture")

// Code is a compiled module.
type Code interface {
	Instantiate(ctx context.Context, memory func(least, most uint64) Linear) (Module, error)
	Close(ctx context.Context) error
}

// A Module is one instance of it.
type Module interface {
	Memory() Memory
	Exports(function string) bool
	// Call calls a function without arguments. What ended it on purpose is an Exit.
	Call(ctx context.Context, function string) error
	// Global is a variable that the module exports: get is nil where there is none of that name,
	// and set where it cannot be changed.
	Global(name string) (get func() uint64, set func(uint64))
	Close(ctx context.Context) error
}

// A Memory is the linear memory of a module.
type Memory interface {
	Size() uint32
	Grow(pages uint32) (before uint32, ok bool)
	Read(offset, count uint32) ([]byte, bool)
	Write(offset uint32, b []byte) bool
	ReadUint32Le(offset uint32) (uint32, bool)
	ReadUint64Le(offset uint32) (uint64, bool)
	WriteUint32Le(offset, v uint32) bool
	WriteUint64Le(offset uint32, v uint64) bool
}

// A Linear is what a memory lies in.
type Linear interface {
	Reallocate(size uint64) []byte
	Free()
}

// A Call is a function that a module can import. It gives back an i32, unless it never returns.
type Call struct {
	Module, Name string
	Params       []Width
	Do           func(ctx context.Context, m Memory, stack []uint64)
	NoReturn     bool
}

// A Width is the width of an argument.
type Width byte

// The widths.
const (
	i32 Width = 32
	i64 Width = 64
)

// An Exit ends a call into a module from within.
type Exit uint32

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", uint32(e)) }
