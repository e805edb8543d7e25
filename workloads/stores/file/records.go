package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// recordSize is the size of each record of a file, in bytes. Record 0 is the header. Every other
// record is a key, a tab, a value, and blanks up to a newline, so that shell tools can read the
// file.
const recordSize = 512

// headerDigits is the width of a number in a header.
const headerDigits = 20

// A records is one file of records.
type records struct {
	file  *os.File
	index map[string]int64 // key → number of its record
}

// openRecords opens a file and finds its keys.
func openRecords(path string) (*records, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	r := &records{file: f, index: map[string]int64{}}
	for n := int64(1); ; n++ {
		key, _, err := r.read(n)
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		r.index[key] = n
	}
}

// mark returns the newest token that the header has recorded, or 0 in a new file.
func (r *records) mark() (uint64, error) { return readNumber(r.file, int64(len(markLabel))) }

const markLabel = "mark "

// setMark writes the header.
func (r *records) setMark(token uint64) error {
	header := fmt.Sprintf("%s%0*d", markLabel, headerDigits, token)
	_, err := r.file.WriteAt(padded(header), 0)
	return err
}

// get returns the value of a key, or "" for a key that was never written.
func (r *records) get(key string) (string, error) {
	n, ok := r.index[key]
	if !ok {
		return "", nil
	}
	_, value, err := r.read(n)
	return value, err
}

// put writes the record of a key, at the end of the file if it is new.
func (r *records) put(key, value string) error {
	if len(key)+len(value)+2 > recordSize || strings.ContainsAny(key+value, "\t\n") || strings.HasSuffix(value, " ") {
		return fmt.Errorf("%s = %q does not fit a record of %d bytes", key, value, recordSize)
	}
	n, ok := r.index[key]
	if !ok {
		n = int64(len(r.index)) + 1
	}
	if _, err := r.file.WriteAt(padded(key+"\t"+value), n*recordSize); err != nil {
		return err
	}
	r.index[key] = n
	return nil
}

func (r *records) read(n int64) (key, value string, err error) {
	var b [recordSize]byte
	if _, err := r.file.ReadAt(b[:], n*recordSize); err != nil {
		return "", "", err
	}
	key, value, ok := strings.Cut(strings.TrimRight(string(b[:]), " \n"), "\t")
	if !ok {
		return "", "", fmt.Errorf("%s: record %d is %q", r.file.Name(), n, b[:])
	}
	return key, value, nil
}

func padded(s string) []byte {
	b := bytes.Repeat([]byte{' '}, recordSize)
	copy(b, s)
	b[recordSize-1] = '\n'
	return b
}

// readNumber reads a number of fixed width, or 0 where the file is still empty.
func readNumber(f *os.File, offset int64) (uint64, error) {
	var b [headerDigits]byte
	_, err := f.ReadAt(b[:], offset)
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	text := strings.TrimLeft(string(b[:]), "\x00")
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}

func writeNumber(f *os.File, offset int64, n uint64) error {
	_, err := fmt.Fprintf(io.NewOffsetWriter(f, offset), "%0*d", headerDigits, n)
	return err
}
