// Package cluster starts the servers that a lock uses, and the links over which clients and servers
// communicate. A topology defines the servers and their connections; a provisioner (a package below
// this one) starts one server at a time.
//
// # Reading order
//
// Read cluster.go (nodes and provisioners) and topology.go first; then redis.go, the simplest
// topology, with builder.go. The links are in link.go, forward.go and valve.go. Most of the other
// files define one topology each, and the check that its nodes have formed it.
package cluster
