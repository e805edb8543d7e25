package matrix

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
)

// CellsFile is the file in the directory of a matrix that has a line for each try that has
// ended.
const CellsFile = "cells.jsonl"

// Cells appends what runs came to to cells.jsonl.
type Cells[T any] struct{ f *os.File }

// OpenCells reads the cells of a directory and opens it for more. A last line that was cut off by a
// kill is dropped; any other that cannot be read is an error. Only one matrix at a time may write to
// a directory.
func OpenCells[T any](dir string) ([]T, *Cells[T], error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return nil, nil, unkept(dir, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "runs")); err != nil || !info.IsDir() {
		return nil, nil, exit.Usage("--out %s: its entry runs is no directory; name the directory of a matrix", dir)
	}
	path := filepath.Join(dir, CellsFile)
	f, err := plainfile.UpdateIn(dir, CellsFile)
	if err != nil {
		return nil, nil, unkept(dir, err)
	}
	cells, whole, err := lockAndRead[T](f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, exit.Usage("%s: %v", path, err)
	}
	return cells, &Cells[T]{f}, nil
}

// unkept returns the error that a matrix cannot be kept in a directory.
func unkept(dir string, err error) error {
	if exit.Unusable(err) {
		return exit.Usage("--out %s: %v; name a directory that can be made, or the directory of a matrix", dir, err)
	}
	return exit.Broken(fmt.Errorf("matrix directory: %w", err))
}

// lockAndRead returns the cells of a file and the length of its whole lines.
func lockAndRead[T any](f *os.File) (cells []T, whole int64, err error) {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, 0, errors.New("another matrix writes to it")
	}
	return parseCells[T](f)
}

// parseCells reads the whole lines, and says how many bytes they have.
func parseCells[T any](in io.Reader) (cells []T, whole int64, err error) {
	r := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return cells, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var c T
		if err := json.Unmarshal(bytes.TrimSpace(line), &c); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		whole += int64(len(line))
		cells = append(cells, c)
	}
}

// Add appends a cell. Of one that cannot be written whole (a full disk) nothing stays: half a
// line with others after it could not be read again.
func (c *Cells[T]) Add(cell T) error {
	b, err := json.Marshal(cell)
	if err != nil {
		return fmt.Errorf("%s: %w", CellsFile, err)
	}
	end, err := c.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := c.f.Write(append(b, '\n')); err != nil {
		_, back := c.f.Seek(end, io.SeekStart)
		return errors.Join(err, back, c.f.Truncate(end))
	}
	return nil
}

// Close closes the file.
func (c *Cells[T]) Close() error { return c.f.Close() }
