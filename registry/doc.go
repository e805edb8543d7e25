// Package registry is what exists, as data: locks, workloads, faults, stores,
// servers. Everything that belongs to one of them stands in its entry, so that a
// new one is a line here and a file of its own. Each table is a function that
// returns it: nothing registers itself, and nothing is global.
//
// Names mean something only here and above. What is below takes values.
//
// # Reading order
//
// backend.go (an entry of a lock), locks.go, then one table: locks_redis.go; workloads.go,
// nemeses.go, stores.go; topologies.go and servers.go (where servers come from), external.go
// and join.go (those of the user). on_redis.go and on_databases.go save the tables from saying
// the same again; driver_backend.go makes an entry of a driver, list.go tells readers what
// there is.
package registry
