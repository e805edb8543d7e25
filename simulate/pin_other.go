//go:build !linux

package simulate

// settle does nothing: binding threads needs Linux.
func settle(int) (leave func()) { return func() {} }
