// Package workloads holds what clients do while they hold a lock, one small
// file for each workload, and the stores that the lock protects.
//
// # Reading order
//
// Read first workload.go, then counter.go, the smallest workload, and seckill.go; config.go
// holds what they share, memory.go the store in memory, stores/ the stores on servers.
package workloads
