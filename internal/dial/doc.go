// Package dial makes connections: on this machine those of the kernel, in a guest of a simulation
// those of its host, which knows the servers of the world.
//
// # Reading order
//
// dial.go (on this machine), host.go (in a guest), dial_wasip1.go and dial_simulated.go (how each kind of guest
// asks), conn_simulated.go, raw_simulated.go (what a native guest gets).
package dial
