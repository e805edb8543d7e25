//go:build !linux

package cluster

// RemoveSharedMemory does nothing, because servers run as processes only on Linux.
func RemoveSharedMemory(string) error { return nil }
