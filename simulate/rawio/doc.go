// Package rawio is how a simulation takes turns with its servers and clients, of which each
// answers in microseconds and one runs at a time.
package rawio
