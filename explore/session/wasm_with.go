//go:build wasmguests

package session

import (
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
)

// wasmEngine runs guests that are compiled for wasip1.
func wasmEngine() machine.Engine { return wasm.Engine{} }
