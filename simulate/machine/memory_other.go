//go:build !linux

package machine

// memories copies the image into the memory of each process.
type memories struct{ image []byte }

func newMemories(image []byte) (*memories, error) { return &memories{image}, nil }

func (m *memories) close() {}

// lends returns the allocator for a new module, which stores the allocated memory in got.
func (m *memories) lends(got **memory, _ *error) func(least, most uint64) Linear {
	return func(least, most uint64) Linear {
		buf := make([]byte, least, most)
		copy(buf, m.image)
		*got = &memory{of: m, buf: buf}
		return *got
	}
}

type memory struct {
	of   *memories
	buf  []byte
	back uint64 // if not 0, the size that drop restores
}

// Reallocate changes the visible part of the memory, to size or to back.
func (m *memory) Reallocate(size uint64) []byte {
	if m.back > 0 {
		size = m.back
	}
	if size > uint64(cap(m.buf)) {
		return nil
	}
	return m.buf[:size]
}

// drop restores the contents of the image.
func (m *memory) drop() error {
	all := m.buf[:cap(m.buf)]
	clear(all[copy(all, m.of.image):])
	return nil
}

// Free does nothing: the garbage collector frees the memory.
func (m *memory) Free() {}
