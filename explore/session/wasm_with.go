//go:build wasmguests

package session

import (
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
)

// wasmEngine returns the engine that runs guests compiled for wasip1.
func wasmEngine() machine.Engine { return wasm.Engine{} }
