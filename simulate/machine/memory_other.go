//go:build !linux

package machine

// memories copy the image into the memory of each process.
type memories struct{ image []byte }

func newMemories(image []byte) (*memories, error) { return &memories{image}, nil }

func (m *memories) close() {}

// lends lets a module that is made have such a memory.
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
	back uint64 // if not 0, the size that it is to have again
}

// Reallocate makes more of it visible, or less if it is to go back.
func (m *memory) Reallocate(size uint64) []byte {
	if m.back > 0 {
		size = m.back
	}
	if size > uint64(cap(m.buf)) {
		return nil
	}
	return m.buf[:size]
}

// drop drops what was written, so that the image is there again.
func (m *memory) drop() error {
	all := m.buf[:cap(m.buf)]
	clear(all[copy(all, m.of.image):])
	return nil
}

// Free leaves it to the garbage collector.
func (m *memory) Free() {}
