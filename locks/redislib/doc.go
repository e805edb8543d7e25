// Package redislib holds adapters to lock libraries for Redis, as they are: an adapter turns
// the library's errors into those of package locks and has no lock logic of its own. Adapters
// for other servers are in package thirdparty, so that a simulation of Redis does not pull in
// their clients.
package redislib
