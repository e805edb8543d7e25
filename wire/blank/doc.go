// Package blank removes secrets from traffic before it is written: passwords, tokens, and data from
// which they could be guessed. Blanked data keeps its length. The data of an unknown protocol is
// blanked completely.
//
// # Reading order
//
// blank.go, then one file for each protocol.
package blank
