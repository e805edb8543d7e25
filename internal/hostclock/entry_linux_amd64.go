//go:build !simulated

package hostclock

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
)

// entry is where a vDSO has its clock_gettime, and how long that is.
func entry(image []byte) (at, size int64, err error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, 0, fmt.Errorf("the vDSO: %w", err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return 0, 0, fmt.Errorf("the vDSO: %w", err)
	}
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" {
			return int64(s.Value), int64(s.Size), nil
		}
	}
	return 0, 0, errors.Join(errors.New("the vDSO has no clock_gettime"), ErrNotHere)
}
