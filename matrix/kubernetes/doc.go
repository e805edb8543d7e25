// Package kubernetes carries the tries of a matrix out as pods of a cluster: what a plan has
// left is one Indexed Job, each of whose pods runs one try and prints what it came to.
//
// # Reading order
//
// Read first executor.go, rounds of tries; objects.go (what is made in the cluster), round.go
// and collect.go (how a round is watched and its results are fetched); then result.go with
// unpack.go (what a pod prints), and cell.go, which prints it.
package kubernetes
