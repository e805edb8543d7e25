package jepsen

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxEntry is about the longest entry that is read, in bytes.
const maxEntry = 1 << 20

// chunk is how many bytes are read at a time. It is small, so that text that was read ahead
// hardly counts for the length of an entry.
const chunk = 4096

// A source is the plain text of a file. It checks what holds for both
// notations, and knows on which line an offset is.
type source struct {
	r     io.Reader
	cut   bool  // a compressed file ended early
	err   error // the error that ended the source for good
	since int   // bytes read since an entry was begun

	offset int64
	ends   []int64 // offsets of the ends of lines that were not asked for yet
	line   int     // of the offset that was asked for last
	cr     bool    // the last byte was a CR
	rest   []byte  // the beginning of a character
}

// openSource looks through gzip and skips a byte order mark.
func openSource(file io.Reader) (*source, error) {
	r := bufio.NewReaderSize(file, 1<<16)
	s := &source{r: r, line: 1}
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		r = bufio.NewReaderSize(z, 1<<16)
		s.r = r
	}
	if head, _ := r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(3)
	}
	return s, nil
}

// Read implements io.Reader. A compressed file that ends early just ends.
func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err // a caller that peeked may not have looked at it
	}
	var n int
	n, s.err = s.read(p[:min(len(p), chunk)])
	return n, s.err
}

func (s *source) read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		s.cut, err = true, io.EOF
	} else if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("read: %w", err)
	}
	if good := s.valid(p[:n]); good < n {
		n, err = good, errors.New("invalid UTF-8") // the text before it still counts for the line numbers
	}
	if s.since += n; s.since > maxEntry+2*chunk {
		return 0, errors.New("an entry is longer than 1 MiB")
	}
	for i, c := range p[:n] {
		if c == '\r' || c == '\n' && !s.cr {
			s.ends = append(s.ends, s.offset+int64(i))
		}
		s.cr = c == '\r'
	}
	s.offset += int64(n)
	return n, err
}

// valid returns how many bytes of text are valid UTF-8, after the text before. A character
// that the end of the file cuts is left to the notation, which finds the end.
func (s *source) valid(text []byte) (good int) {
	before := len(s.rest)
	all := append(s.rest, text...)
	s.rest = nil
	for at := 0; at < len(all); {
		r, size := utf8.DecodeRune(all[at:])
		if r == utf8.RuneError && size == 1 {
			if utf8.FullRune(all[at:]) {
				return max(0, at-before)
			}
			s.rest = bytes.Clone(all[at:])
			break
		}
		at += size
	}
	return len(text)
}

// begin forgets the length of the entries before.
func (s *source) begin() { s.since = 0 }

// at returns the line of an offset, counted from 1. Offsets must be asked for in order.
func (s *source) at(offset int64) int {
	for len(s.ends) > 0 && s.ends[0] < offset {
		s.ends = s.ends[1:]
		s.line++
	}
	return s.line
}
