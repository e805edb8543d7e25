// Package cluster starts the servers that a lock runs on, and the links through which clients
// and servers talk. A topology says which servers there are and how they are joined; a
// provisioner (a package below this one) makes one server at a time.
//
// # Reading order
//
// Read first cluster.go (nodes, and who makes them) and topology.go; then redis.go, the
// plainest topology, with builder.go; link.go, proxy.go and valve.go are the links. The other
// files are one topology each, and how its nodes are seen to have become one.
package cluster
