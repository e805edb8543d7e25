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

// one is the rate 1 in the encoding of the file (32 fractional bits).
const one = 1 << 32

// shared is the layout of the file, equal to the layout in the C source.
type shared struct {
	seq                  uint64
	anchor, offset, rate int64
}

// A Clock is a file that holds the current deviation of a server's clock from the host's clock. Its
// methods may be called from several goroutines.
type Clock struct {
	object, path string

	mu  sync.Mutex
	mem []byte
	now shared
}

// New creates the file at path. The clock does not deviate until Set or Stand is called. object is
// the path of the shared object, see Build.
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

// Env returns the additional environment variables of the server.
func (c *Clock) Env() []string {
	return []string{"LD_PRELOAD=" + c.object, "TORTURE_CLOCK=" + c.path}
}

// Set makes the server's clock run offset ahead of the host's clock, and rate times as fast from
// now on. It takes effect when the server next reads its clock.
func (c *Clock) Set(offset time.Duration, rate float64) error {
	if !(rate > 0) || rate > 1000 {
		return fmt.Errorf("set clock: rate %v is not in (0, 1000]", rate)
	}
	return c.set(shared{anchor: time.Now().UnixNano(), offset: int64(offset), rate: max(1, int64(math.Round(rate*one)))})
}

// Stand stops the server's clock at a time in ns since 1970, until the clock is set again.
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

// At returns the time of the server's clock at the time t of the host's clock.
func (c *Clock) At(t time.Time) time.Time {
	c.mu.Lock()
	s := c.now
	c.mu.Unlock()
	since := new(big.Int).Mul(big.NewInt(t.UnixNano()-s.anchor), big.NewInt(s.rate))
	return time.Unix(0, s.anchor+s.offset+since.Rsh(since, 32).Int64())
}

// Close unmaps the file. The owner of its directory removes it.
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
