// Package redislib holds adapters to lock libraries for Redis, as they are: an adapter turns
// the library's errors into those of package locks and has no lock logic of its own. Those for
// other servers are in package thirdparty: who simulates these here needs none of their
// clients.
package redislib
