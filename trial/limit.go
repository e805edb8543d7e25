package trial

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// freePart is the divisor of the default limit: a history may take 1/freePart of the free disk. The
// rest is left to the servers, which write during the run, and to the reports after it.
const freePart = 4

// historyLimit returns the limit of the history in bytes: the requested one, or for 0 a part of
// the free disk under dir.
func historyLimit(asked int64, dir string) (int64, error) {
	if asked > 0 {
		return asked, nil
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, fmt.Errorf("free disk: %w", err)
	}
	return int64(disk.Bavail) * int64(disk.Bsize) / freePart, nil
}

// A limitedFile calls full once more than a limit of bytes was written. It still writes
// everything, because the run must end in order.
type limitedFile struct {
	*os.File
	left int64
	full func() // called once; nil means no limit
}

// Write implements io.Writer.
func (f *limitedFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.left -= int64(n)
	if f.left < 0 && f.full != nil {
		f.full()
		f.full = nil
	}
	return n, err
}
