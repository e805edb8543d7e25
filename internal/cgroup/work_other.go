//go:build !linux

package cgroup

// Worked returns the zero Work.
func Worked() Work { return Work{} }
