// Package redislib is what the adapters to lock libraries for Redis have in common, and what their locks
// declare. An adapter turns the library's errors into those of package locks and has no lock logic of its own.
// The adapters of redsync, redislock and rueidis are packages beside this one, which needs none of the libraries.
package redislib
