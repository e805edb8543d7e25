// Package cluster starts the servers that a lock runs on, and the links through which clients
// and servers talk. A topology says which servers there are and how they are joined; a
// provisioner (a package below this one) makes one server at a time.
//
// # Reading order
//
// Read cluster.go (nodes and provisioners) and topology.go first; then redis.go, the plainest
// topology, with builder.go. The links are in link.go, proxy.go and valve.go. Each of the other
// files holds one topology, and the check that its nodes have formed it.
package cluster
