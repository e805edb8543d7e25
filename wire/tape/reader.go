package tape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"locktorture/internal/plainfile"
)

// A Reader reads a tape, including one that is truncated or still being written.
type Reader struct {
	Meta   Meta
	from   io.ReaderAt
	blocks [][]place // by link, in order
}

// A place is the position of a block.
type place struct {
	index uint32
	at    int64
}

// ErrNoTape is wrapped by the error about a file that is no tape.
var ErrNoTape = errors.New("no recording of torture's")

// Open opens the tape of a run directory. It does not follow a link.
func Open(path string) (*Reader, io.Closer, error) {
	f, err := plainfile.OpenIn(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if info.Size() > Most {
		return nil, nil, errors.Join(fmt.Errorf("%s: larger than the %d GB that a recording can have", path, Most>>30), f.Close())
	}
	r, err := NewReader(f, info.Size())
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return r, f, nil
}

// Most is the size of the largest recording, in bytes, because a reader inspects every block.
const Most = 64 << 30

// mostLinks bounds the memory for a damaged file.
const mostLinks = 1 << 16

// NewReader reads a tape of this many bytes.
func NewReader(from io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{from: from}
	head := make([]byte, min(size, headSize))
	if _, err := from.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text, ok := bytes.CutPrefix(head, []byte(magic))
	if !ok {
		return nil, ErrNoTape
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&r.Meta); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTape, err)
	}
	switch {
	case r.Meta.Version != Version:
		return nil, fmt.Errorf("version %d of the format; this program reads %d", r.Meta.Version, Version)
	case r.Meta.Block != blockSize, len(r.Meta.Links) > mostLinks:
		return nil, ErrNoTape
	}
	return r, r.index(size)
}

// index finds the blocks of each link.
func (r *Reader) index(size int64) error {
	r.blocks = make([][]place, len(r.Meta.Links))
	b := make([]byte, blockHead)
	for at := int64(headSize); at+blockHead <= size; at += blockSize {
		if _, err := r.from.ReadAt(b, at); err != nil {
			return err
		}
		if h, ok := decodeHeader(b); ok && int(h.link) < len(r.blocks) {
			r.blocks[h.link] = append(r.blocks[h.link], place{h.index, at})
		}
	}
	for _, of := range r.blocks {
		slices.SortFunc(of, func(a, b place) int { return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.at, b.at)) })
	}
	return nil
}

// Events returns the events of the selected links in the order of time, and in their order on each
// link. The caller may keep the data of an event.
func (r *Reader) Events(wanted func(link int) bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var open []*cursor
		for i := range r.blocks {
			if c := newCursor(r, i); wanted(i) && c.advance() {
				open = append(open, c)
			}
		}
		for len(open) > 0 {
			first := 0
			for i, c := range open {
				if c.event.Time < open[first].event.Time {
					first = i
				}
			}
			c := open[first]
			if !yield(c.event, c.err) || c.err != nil {
				return
			}
			if !c.advance() {
				open = slices.Delete(open, first, first+1)
			}
		}
	}
}
