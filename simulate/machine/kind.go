package machine

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// A Kind is the target of a compilation.
type Kind string

const (
	Any    Kind = ""       // Native where possible, else Wasm
	Native Kind = "native" // machine code of this host
	Wasm   Kind = "wasm"   // the target wasip1
)

// variable is the environment variable with which a user selects a kind.
const variable = "TORTURE_GUEST"

// ErrKind reports that no program of the selected kind can be built.
var ErrKind = errors.New("no such guest")

// Asked returns the kind that the environment selects.
func Asked() (Kind, error) {
	switch k := Kind(os.Getenv(variable)); k {
	case Any, Native, Wasm:
		return k, nil
	default:
		return Any, fmt.Errorf("%w: %s is %q, must be %s or %s", ErrKind, variable, k, Native, Wasm)
	}
}

// KindOf returns the kind of a program with the given Sum.
func KindOf(sum string) Kind {
	if strings.HasPrefix(sum, string(Native)+" ") {
		return Native
	}
	return Wasm
}

// Kind returns the kind of the program, Native or Wasm.
func (p *Program) Kind() Kind { return KindOf(p.sum) }
