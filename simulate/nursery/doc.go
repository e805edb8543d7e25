// Package nursery turns a native guest into processes of a simulation (simulate/machine): the
// program initializes itself once, and each process is a fork of it. The package is empty in
// programs built without the tag simulated.
package nursery
