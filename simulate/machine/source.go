package machine

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sumOf sums up the source: every file that can be compiled or embedded, and a text.
func sumOf(root, text string) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	io.WriteString(h, text)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && noSource(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isSource(path) {
			return nil
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "\n%s %d\n", strings.TrimPrefix(path, root), len(b))
		h.Write(b)
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("source of guest: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// noSource tells of folders from which nothing is compiled into a guest.
func noSource(name string) bool {
	no := []string{"bin", "runs", "results", "docs", "drivers", "examples", "testdata", "node_modules"}
	return strings.HasPrefix(name, ".") || slices.Contains(no, name)
}

func isSource(path string) bool {
	return slices.Contains([]string{".go", ".mod", ".sum", ".lua"}, filepath.Ext(path)) && !strings.HasSuffix(path, "_test.go")
}

// keptFor is how long a guest and the code for it are kept. After that they are made anew.
const keptFor = 7 * 24 * time.Hour

// prune removes what has lain in the cache for long: a guest and its code have a hundred megabytes or so.
func prune(cache string) error {
	return filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // somebody else was quicker
		}
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(path)
		}
		return nil
	})
}
