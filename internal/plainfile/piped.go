package plainfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ReadPiped reads a whole file that the user has named. It may be a pipe, such as a shell's
// <(command); piped reports whether it is one, which cannot be read again. A pipe must have
// been closed by its writer before the time is over.
func ReadPiped(ctx context.Context, path string, most int64, within time.Duration) (text []byte, piped bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Mode().Type() == fs.ModeNamedPipe:
		text, err = (&pipe{File: f}).all(ctx, most, within)
		return text, true, err
	default:
		if err = regular(f); err == nil {
			text, err = all(f, path, most)
		}
	}
	return text, false, err
}

// A pipe is read without blocking.
type pipe struct {
	*os.File
	done  <-chan struct{}
	begun bool
}

func (p *pipe) all(ctx context.Context, most int64, within time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	p.done = ctx.Done()
	defer context.AfterFunc(ctx, func() { p.SetReadDeadline(time.Unix(1, 0)) })()
	text, err := all(p, p.Name(), most)
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return text, err
	case !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, ctx.Err()
	case !p.begun:
		return nil, fmt.Errorf("%s is a pipe, and nothing was written to it within %v", p.Name(), within)
	}
	return nil, fmt.Errorf("%s is a pipe, and its writer did not close it within %v", p.Name(), within)
}

// Read waits for the first byte: a pipe seems to be at its end until its writer has opened it.
func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		p.begun = p.begun || n > 0
		if p.begun || err != io.EOF {
			return n, err
		}
		select {
		case <-p.done:
			return 0, os.ErrDeadlineExceeded
		case <-time.After(10 * time.Millisecond):
		}
	}
}
