// Package inside is what the programs inside a simulation are told and know by name: the order
// of a run, and the locks and workloads that they were built with. The names are those of
// package registry, which is far too large to be compiled into every client; a test holds the
// two against each other.
package inside
