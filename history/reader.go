package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"locktorture/internal/plainfile"
)

// maxLine is the length of the longest line that a reader accepts, in bytes.
const maxLine = 1 << 20

// A Reader reads the entries of a history file in their order and checks the rules of a history.
// Every error names the line and the cause.
type Reader struct {
	// Truncated is set at the end if the last line is incomplete, which happens when the harness is
	// killed. Only a last line without a newline is forgiven.
	Truncated bool
	// Unsummed is set if the history has an end without a checksum, because it was recorded
	// before checksums existed. A wrong checksum is an error.
	Unsummed bool

	src   *bufio.Reader
	line  int
	names interner
	// op is the entry being read. It is in the reader because the parser takes its address: a local
	// variable would be allocated for every entry.
	op Op
	// rules is nil for a file that an earlier pass has checked.
	rules *Validator
	sum   *Checksum
	err   error
}

// NewReader returns a reader of r, which may be compressed with gzip.
func NewReader(r io.Reader) (*Reader, error) {
	src := bufio.NewReaderSize(r, maxLine+2)
	if head, _ := src.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, fmt.Errorf("history: %w", err)
		}
		src = bufio.NewReaderSize(z, maxLine+2)
	}
	return &Reader{src: src, names: interner{make(map[string]string)}, rules: NewValidator(), sum: NewChecksum()}, nil
}

// Next returns the next entry, and io.EOF at the end. After an error it returns the same error
// again.
func (r *Reader) Next() (Op, error) {
	// The entry is in the reader and not on the stack, because the parser takes its address: a
	// local variable would be allocated for every entry.
	r.op = Op{}
	err := r.read(&r.op)
	return r.op, err
}

// read reads the next entry into op, which must have its zero value.
func (r *Reader) read(op *Op) error {
	if r.err != nil {
		return r.err
	}
	err := r.next(op)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("history: line %d: %w", r.line, err)
	}
	r.err = err
	return err
}

// next reads one line. It reports the end of the file for an incomplete last line, and sets
// Truncated.
func (r *Reader) next(op *Op) error {
	line, err := r.src.ReadSlice('\n')
	r.line++
	last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine+1:
		return errors.New("longer than 1 MiB")
	case err != nil && !last:
		return err
	case last && len(line) == 0:
		// A compressed file that ends early is cut off too.
		r.Truncated = errors.Is(err, io.ErrUnexpectedEOF)
		return io.EOF
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	err = r.entry(line, op)
	switch {
	case err != nil && last:
		r.Truncated = true
		*op = Op{}
		return io.EOF
	case err != nil || r.rules == nil:
		return err
	}
	if err := r.rules.Add(op); err != nil {
		return err
	}
	r.Unsummed = op.F == End && op.Sum == ""
	return r.sum.Check(line, op)
}

// entry parses a line. encoding/json would accept an empty line and repair invalid UTF-8, so both
// are checked first, unless an earlier pass has done so.
func (r *Reader) entry(line []byte, op *Op) error {
	if r.rules != nil {
		if len(bytes.TrimSpace(line)) == 0 {
			return errors.New("empty line")
		}
		if !utf8.Valid(line) {
			return errors.New("invalid UTF-8")
		}
	}
	return parse(line, &r.names, op)
}

// ReadAll reads a whole history, compressed or not. truncated reports that the last line was
// incomplete and left out.
func ReadAll(src io.Reader) (h History, truncated bool, err error) {
	r, err := NewReader(src)
	if err != nil {
		return nil, false, err
	}
	for {
		op, err := r.Next()
		if err == io.EOF {
			return h, r.Truncated, nil
		}
		if err != nil {
			return nil, false, err
		}
		h = append(h, op)
	}
}

// ReadFile reads the history in the named file, as ReadAll does.
func ReadFile(name string) (h History, truncated bool, err error) {
	f, err := plainfile.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("history: %w", err)
	}
	defer f.Close()
	h, truncated, err = ReadAll(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return h, truncated, err
}
