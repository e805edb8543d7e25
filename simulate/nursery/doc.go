// Package nursery is how a native guest becomes a process of a simulation (simulate/machine): the
// program initializes itself once, and each process is a fork of it. It has content only in
// programs that are built for that, with the tag simulated.
package nursery
