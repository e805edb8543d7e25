// Package registry holds the tables of everything that a user can name: locks,
// workloads, faults, stores and servers. An entry contains everything that belongs
// to the named thing, so that a new one needs one line here and a file of its own.
// A function returns each table: nothing registers itself, and nothing is global.
//
// Only this package and the packages above it know names. The packages below take values.
//
// # Reading order
//
// backend.go (an entry of a lock), locks.go, then one table: locks_redis.go; workloads.go,
// nemeses.go, stores.go; topologies.go and servers.go (where servers come from), external.go
// and join.go (servers of the user). on_redis.go and on_databases.go hold what entries have in
// common; driver_backend.go makes the entry of a driver, and list.go lists the tables for
// readers.
package registry
