// Package wire reads the traffic between clients and servers. Its subpackages record it (tape),
// remove secrets from the record (blank), decode it (one for each protocol, listed by protocols)
// and print it (trace).
//
// # Reading order
//
// message.go, stream.go (cutting a stream into messages), gate.go (messages that can be delayed or
// discarded).
package wire
