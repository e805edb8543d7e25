// Package play plays cases of scenarios on servers that a Player keeps from one play to the
// next, and counts how often each came out as expected.
//
// # Reading order
//
// choose.go, player.go, once.go (one play, from its trial to its Result), repeat.go, pool.go;
// then result.go and pages.go.
package play
