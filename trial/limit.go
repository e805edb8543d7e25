package trial

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// freePart is the part of the free disk that a history may take where nobody says how much:
// servers write beside it, and reports after it.
const freePart = 4

// historyLimit is how many bytes the history of a run may have: as many as were asked for, 0
// for a part of what is free where the run is written.
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

// A limitedFile tells when more than so many bytes were written to it. It takes them all the
// same: a run has to come to its end.
type limitedFile struct {
	*os.File
	left int64
	full func() // called once; nil: there is no limit
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
