package plainfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/plainfile"
)

// TestPipes: a pipe is read to its end, also if its writer is late. Without a writer, without an
// end, or with too much, it is refused in time.
func TestPipes(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(*os.File) error
		within time.Duration
		says   string
	}{
		"secret":       {write: slowly("sec", "ret"), within: time.Minute},
		"no writer":    {within: 50 * time.Millisecond, says: "nothing was written"},
		"no end":       {write: unclosed, within: 200 * time.Millisecond, says: "did not close it"},
		"nothing said": {write: func(*os.File) error { return nil }, within: 200 * time.Millisecond, says: "nothing was written"},
		"endless":      {write: endless, within: time.Minute, says: "larger than 10 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pipe")
			fatal(t, syscall.Mkfifo(path, 0o600))
			written := make(chan error, 1)
			if c.write != nil {
				go func() { written <- writeTo(path, c.write) }()
			}
			text, piped, err := plainfile.ReadPiped(t.Context(), path, 10, c.within)
			switch {
			case c.says == "" && (err != nil || string(text) != "secret" || !piped):
				t.Errorf("%q, %v, a pipe: %v", text, err, piped)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%q, %v, want an error that says %s", text, err, c.says)
			}
			if c.says == "" {
				fatal(t, <-written)
			}
		})
	}
}

// TestPipedIsPlainElse: what is neither a file nor a pipe is refused at once, and who
// interrupts does not wait.
func TestPipedIsPlainElse(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	fatal(t, os.WriteFile(file, []byte("text"), 0o600))
	fatal(t, syscall.Mkfifo(pipe, 0o600))
	if text, piped, err := plainfile.ReadPiped(t.Context(), file, 4, time.Minute); err != nil || piped || string(text) != "text" {
		t.Errorf("%q, %v, a pipe: %v", text, err, piped)
	}
	for path, says := range map[string]string{dir: "is a directory", "/dev/zero": "is a device", file: "larger than 3 bytes"} {
		if _, _, err := plainfile.ReadPiped(t.Context(), path, 3, time.Minute); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %s", path, err, says)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, interrupt)
	if _, _, err := plainfile.ReadPiped(ctx, pipe, 4, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// writeTo opens a pipe late.
func writeTo(path string, write func(*os.File) error) error {
	time.Sleep(30 * time.Millisecond)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func slowly(parts ...string) func(*os.File) error {
	return func(f *os.File) error {
		for _, p := range parts {
			if _, err := f.WriteString(p); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	}
}

// unclosed writes a little and leaves the pipe open until the reader is gone.
func unclosed(f *os.File) error {
	for {
		if _, err := f.WriteString("."); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

func endless(f *os.File) error {
	for {
		if _, err := f.Write(make([]byte, 100)); err != nil {
			return err
		}
	}
}
