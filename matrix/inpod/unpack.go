package inpod

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// unpacked is how large a run directory may be once it is unpacked.
const unpacked = 1 << 30

// pack returns the content of a run directory as tar.gz: its files, and no links.
func pack(dir fs.FS) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err = t.Write(content)
		return err
	})
	if err := errors.Join(err, t.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Unpack makes a directory of what pack has packed. It is whole or not there; one of before is
// replaced. No name in it leads out of it.
func Unpack(b []byte, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(dir), ".fetched-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := extract(b, half); err != nil {
		return err
	}
	if err := os.Chmod(half, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(half, dir)
}

func extract(b []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	t := tar.NewReader(io.LimitReader(z, unpacked))
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name):
			return fmt.Errorf("%q is no file of a run", h.Name)
		}
		if err := root.MkdirAll(filepath.Dir(h.Name), 0o755); err != nil {
			return err
		}
		f, err := root.Create(h.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}
