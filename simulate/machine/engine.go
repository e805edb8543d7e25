package machine

import (
	"context"
	"errors"
	"fmt"
)

// An Engine runs modules compiled for wasip1. The package wasm implements it. A program that plays
// only native guests is built without it, because it takes long to compile.
type Engine interface {
	// Compile compiles a module that may use at most pages of memory and import the calls. cacheDir
	// keeps the machine code for other programs; "" disables that.
	Compile(ctx context.Context, module []byte, cacheDir string, pages uint32, calls []Call) (Code, error)
}

// ErrNoEngine reports that a wasm guest was requested from a program without an Engine.
var ErrNoEngine = errors.New("this build of torture cannot run guests in wasm")

// Code is a compiled module.
type Code interface {
	Instantiate(ctx context.Context, memory func(least, most uint64) Linear) (Module, error)
	Close(ctx context.Context) error
}

// A Module is an instance of Code.
type Module interface {
	Memory() Memory
	Exports(function string) bool
	// Call calls a function without arguments. It returns an Exit if a Call ended it on purpose.
	Call(ctx context.Context, function string) error
	// Global returns the accessors of a variable that the module exports. get is nil if there is
	// none of this name, and set is nil if it is constant.
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

// A Linear allocates the bytes of a memory.
type Linear interface {
	Reallocate(size uint64) []byte
	Free()
}

// A Call is a function that a module can import. It returns an i32, unless NoReturn is set.
type Call struct {
	Module, Name string
	Params       []Width
	Do           func(ctx context.Context, m Memory, stack []uint64)
	NoReturn     bool
}

// A Width is the width of an argument in bits.
type Width byte

// The widths of WebAssembly's integers.
const (
	i32 Width = 32
	i64 Width = 64
)

// An Exit ends a call into a module from within. Its value is the exit code.
type Exit uint32

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", uint32(e)) }
