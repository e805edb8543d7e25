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
	"locktorture/report/scorecard"
)

// CellsFile is the file in the directory of a matrix that has a line for each try that has
// ended.
const CellsFile = "cells.jsonl"

// A cellStore appends tries to cells.jsonl.
type cellStore struct{ f *os.File }

// openCells reads the tries of a directory and opens it for more. A last line
// that was cut off by a kill is dropped; any other that cannot be read is an
// error. Only one matrix at a time may write to a directory.
func openCells(dir string) ([]scorecard.Try, *cellStore, error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return nil, nil, unkept(dir, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "runs")); err != nil || !info.IsDir() {
		return nil, nil, exit.Usage("--out %s: its runs are no directory; name one of a matrix", dir)
	}
	path := filepath.Join(dir, CellsFile)
	f, err := plainfile.UpdateIn(dir, CellsFile)
	if err != nil {
		return nil, nil, unkept(dir, err)
	}
	tries, whole, err := lockAndRead(f)
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
	return tries, &cellStore{f}, nil
}

// unkept returns the error that a matrix cannot be kept in a directory.
func unkept(dir string, err error) error {
	if exit.Unusable(err) {
		return exit.Usage("--out %s: %v; name a directory that can be made, or one of a matrix", dir, err)
	}
	return exit.Broken(fmt.Errorf("matrix directory: %w", err))
}

// lockAndRead returns the tries of a file and the length of its whole lines.
func lockAndRead(f *os.File) (tries []scorecard.Try, whole int64, err error) {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, 0, errors.New("another matrix writes to it")
	}
	return parseCells(f)
}

// parseCells reads the whole lines, and says how many bytes they have.
func parseCells(in io.Reader) (tries []scorecard.Try, whole int64, err error) {
	r := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return tries, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var t scorecard.Try
		if err := json.Unmarshal(bytes.TrimSpace(line), &t); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		whole += int64(len(line))
		tries = append(tries, t)
	}
}

// add appends a try. Of one that cannot be written whole (a full disk) nothing stays: half a
// line with others after it could not be read again.
func (c *cellStore) add(t scorecard.Try) error {
	b, err := json.Marshal(t)
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

func (c *cellStore) close() error { return c.f.Close() }
