// Package workloads holds the work of clients under a lock, one small file for each workload, and
// the stores that the lock protects.
//
// # Reading order
//
// Read first workload.go, then counter.go, the smallest workload, and seckill.go. config.go holds
// the common settings, memory.go the store in memory, stores/ the stores on servers.
package workloads
