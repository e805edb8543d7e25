//go:build !linux

package simulate

// settle keeps a thread on one processor, on Linux alone.
func settle(int) (leave func()) { return func() {} }
