//go:build !linux

package cluster

// RemoveSharedMemory does nothing: servers run as processes on Linux only.
func RemoveSharedMemory(string) error { return nil }
