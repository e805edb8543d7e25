// Package rawio exchanges messages between a simulation and its servers and clients, which answer
// in microseconds and run one at a time.
package rawio
