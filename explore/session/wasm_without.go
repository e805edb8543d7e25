//go:build !wasmguests

package session

import "locktorture/simulate/machine"

// wasmEngine is none: the whole torture has it.
func wasmEngine() machine.Engine { return nil }
