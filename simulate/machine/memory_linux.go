package machine

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memories is a pool of address spaces for the processes of a program. Each is reserved in its full
// size, so that growing copies nothing, and starts with a private mapping of one image.
type memories struct {
	fd   int // descriptor of the image
	size int // size of the image in bytes, in whole pages of this machine

	mu   sync.Mutex
	free []*memory
}

func newMemories(image []byte) (*memories, error) {
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("image of guest: %w", err)
	}
	m := &memories{fd: fd, size: (len(image) + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)}
	err = unix.Ftruncate(fd, int64(m.size))
	for at := 0; at < len(image) && err == nil; at += unix.Getpagesize() {
		page := image[at:min(at+unix.Getpagesize(), len(image))]
		if bytes.Count(page, []byte{0}) < len(page) { // a zero page stays a hole
			_, err = unix.Pwrite(fd, page, int64(at))
		}
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("image of guest: %w", err)
	}
	return m, nil
}

// close frees the memory that no process uses.
func (m *memories) close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.free {
		_ = unix.Munmap(f.buf)
	}
	m.free = nil
	_ = unix.Close(m.fd)
}

// lends returns the allocator for a new module, which stores the allocated memory in got, or the
// error in failed.
func (m *memories) lends(got **memory, failed *error) func(least, most uint64) Linear {
	return func(_, most uint64) Linear {
		mem, err := m.take(int(most))
		if err != nil {
			*failed = err
			mem = &memory{buf: make([]byte, most)}
		}
		*got = mem
		return mem
	}
}

func (m *memories) take(most int) (*memory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.free); n > 0 {
		mem := m.free[n-1]
		m.free = m.free[:n-1]
		return mem, nil
	}
	buf, err := unix.Mmap(-1, 0, most, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory of guest: %w", err)
	}
	if m.size > 0 {
		_, err = unix.MmapPtr(m.fd, 0, unsafe.Pointer(unsafe.SliceData(buf)), uintptr(m.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	}
	if err != nil {
		_ = unix.Munmap(buf)
		return nil, fmt.Errorf("memory of guest: %w", err)
	}
	return &memory{of: m, buf: buf}, nil
}

// A memory is the linear memory of one process.
type memory struct {
	of   *memories // pool to which it returns; nil: none
	buf  []byte
	used uint64
	back uint64 // if not 0, the size that drop restores
}

// Reallocate changes the visible part of the memory, to size or to back.
func (m *memory) Reallocate(size uint64) []byte {
	if m.back > 0 {
		size = m.back
	}
	if size > uint64(len(m.buf)) {
		return nil
	}
	m.used = max(m.used, size)
	return m.buf[:size:len(m.buf)]
}

// drop discards all writes, so that the memory equals the image again.
func (m *memory) drop() error {
	err := unix.Madvise(m.buf[:m.used], unix.MADV_DONTNEED)
	m.used = 0
	return err
}

// Free returns the address space to the pool.
func (m *memory) Free() {
	if m.of == nil {
		return
	}
	err := m.drop()
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if err != nil {
		_ = unix.Munmap(m.buf)
		return
	}
	m.of.free = append(m.of.free, m)
}
