package clock

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// one is the normal rate in the file.
const one = 1 << 32

// shared is the layout of the file, as in the C source.
type shared struct {
	seq                  uint64
	anchor, offset, rate int64
}

// A Clock is a file that says how far a server's clock is off. Its methods may be
// called from several goroutines.
type Clock struct {
	object, path string

	mu  sync.Mutex
	mem []byte
	now shared
}

// New makes the file, with a clock that is right, and builds the shared object
// if need be.
func New(object, path string) (*Clock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make clock: %w", err)
	}
	defer f.Close()
	size := int(unsafe.Sizeof(shared{}))
	if err := f.Truncate(int64(size)); err != nil {
		return nil, fmt.Errorf("make clock: %w", err)
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map clock: %w", err)
	}
	c := &Clock{object: object, path: path, mem: mem}
	return c, c.Set(0, 1)
}

// Env returns what to add to the environment of the server.
func (c *Clock) Env() []string {
	return []string{"LD_PRELOAD=" + c.object, "TORTURE_CLOCK=" + c.path}
}

// Set makes the server's clock run offset ahead of the host's from now on, and
// rate times as fast. It takes effect at the server's next look at the clock.
func (c *Clock) Set(offset time.Duration, rate float64) error {
	if !(rate > 0) || rate > 1000 {
		return fmt.Errorf("set clock: rate %v is not in (0, 1000]", rate)
	}
	return c.set(shared{anchor: time.Now().UnixNano(), offset: int64(offset), rate: max(1, int64(math.Round(rate*one)))})
}

// Stand makes the server's clock stand still at a time in ns since 1970, until it is set
// again.
func (c *Clock) Stand(at int64) error { return c.set(shared{anchor: at}) }

func (c *Clock) set(to shared) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mem == nil {
		return fmt.Errorf("set clock: %w", os.ErrClosed)
	}
	seq := c.now.seq
	to.seq = seq + 2
	c.now = to
	m := (*shared)(unsafe.Pointer(&c.mem[0]))
	atomic.StoreUint64(&m.seq, seq+1)
	atomic.StoreInt64(&m.anchor, c.now.anchor)
	atomic.StoreInt64(&m.offset, c.now.offset)
	atomic.StoreInt64(&m.rate, c.now.rate)
	atomic.StoreUint64(&m.seq, seq+2)
	return nil
}

// At returns what the server's clock says when the host's says t.
func (c *Clock) At(t time.Time) time.Time {
	c.mu.Lock()
	s := c.now
	c.mu.Unlock()
	since := new(big.Int).Mul(big.NewInt(t.UnixNano()-s.anchor), big.NewInt(s.rate))
	return time.Unix(0, s.anchor+s.offset+since.Rsh(since, 32).Int64())
}

// Close lets go of the file; whoever made its directory removes it.
func (c *Clock) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mem == nil {
		return nil
	}
	err := unix.Munmap(c.mem)
	c.mem = nil
	return err
}
