//go:build simulated

package nursery

import (
	"fmt"
	"syscall"
	_ "unsafe" // for go:linkname
)

//go:linkname hostFiles runtime.host_files
func hostFiles(path *byte) int32

// Files gives the process the files of the folder /data, which the host keeps in a directory.
func Files(dir string) error {
	path, err := syscall.BytePtrFromString(dir)
	if err != nil {
		return err
	}
	if e := hostFiles(path); e != 0 {
		return fmt.Errorf("%s: %w", dir, syscall.Errno(e))
	}
	return nil
}
