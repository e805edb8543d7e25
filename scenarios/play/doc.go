// Package play plays cases of scenarios on servers that a Player keeps between plays, and counts
// the plays that met the expectation.
//
// # Reading order
//
// choose.go, player.go, once.go (one play, from its trial to its Result), repeat.go, pool.go;
// then result.go and pages.go.
package play
