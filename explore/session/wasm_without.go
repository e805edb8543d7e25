//go:build !wasmguests

package session

import "locktorture/simulate/machine"

// wasmEngine returns nil, because this build runs only native guests. Builds with the tag
// wasmguests have an engine.
func wasmEngine() machine.Engine { return nil }
