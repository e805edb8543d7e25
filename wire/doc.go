// Package wire reads what clients and servers said to each other. Its subpackages record it
// (tape), keep secrets out of the record (blank), take it apart (one for each protocol, named
// by protocols) and print it (trace).
//
// # Reading order
//
// message.go, stream.go (how a decoder cuts a stream into messages), gate.go (messages that
// can be held back or lost).
package wire
