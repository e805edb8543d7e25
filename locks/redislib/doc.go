// Package redislib contains the common parts of the adapters to lock libraries for Redis, and the
// traits of their locks. An adapter converts the library's errors to those of package locks and has
// no lock logic of its own. The adapters of redsync, redislock and rueidis are separate packages,
// so that this one needs none of the libraries.
package redislib
