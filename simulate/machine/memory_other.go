//go:build !linux

package machine

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
)

// memories copy the image into the memory of each process.
type memories struct{ image []byte }

func newMemories(image []byte) (*memories, error) { return &memories{image}, nil }

func (m *memories) close() {}

// with lets a module that is made with the context have such a memory.
func (m *memories) with(ctx context.Context, _ *error) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(least, most uint64) experimental.LinearMemory {
		buf := make([]byte, least, most)
		copy(buf, m.image)
		return &memory{buf}
	}))
}

type memory struct{ buf []byte }

// Reallocate makes more of it visible.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.buf)) {
		return nil
	}
	return m.buf[:size]
}

// Free leaves it to the garbage collector.
func (m *memory) Free() {}
