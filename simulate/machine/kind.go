package machine

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// A Kind is what a program is compiled for.
type Kind string

const (
	Any    Kind = ""       // Native where that can be, else Wasm
	Native Kind = "native" // this machine
	Wasm   Kind = "wasm"   // wasip1
)

// variable of the environment by which a user asks for a kind.
const variable = "TORTURE_GUEST"

// ErrKind is returned where there is no program of the kind that is asked for.
var ErrKind = errors.New("no such guest")

// Asked is the kind that the environment asks for.
func Asked() (Kind, error) {
	switch k := Kind(os.Getenv(variable)); k {
	case Any, Native, Wasm:
		return k, nil
	default:
		return Any, fmt.Errorf("%w: %s is %q, and can be %s or %s", ErrKind, variable, k, Native, Wasm)
	}
}

// KindOf is the kind of a program by its sum.
func KindOf(sum string) Kind {
	if strings.HasPrefix(sum, string(Native)+" ") {
		return Native
	}
	return Wasm
}

// Kind reports whether the program is native or wasm.
func (p *Program) Kind() Kind { return KindOf(p.sum) }
