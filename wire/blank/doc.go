// Package blank takes secrets out of traffic before it is written: passwords, tokens, and what
// could be used to guess them. What is blanked keeps its length. A protocol that the package
// does not know is blanked whole.
//
// # Reading order
//
// blank.go, then one file for each protocol.
package blank
