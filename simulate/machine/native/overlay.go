// Package native makes a program of this machine that takes from the host of a simulation what
// other programs take from the kernel: time, randomness, and the wait for something to happen.
// It has no files, no sockets and no processes: system calls for them fail. For that a few lines
// of Go's runtime, and of the packages that enter the kernel, are changed, and only in that
// program; libraries and the program itself stay as they are. It has one thread, so that what it
// does is determined by what it is told.
package native

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ErrOther is returned where the runtime of Go is not one that is known here, or the machine.
var ErrOther = errors.New("no native guest for this machine or version of Go")

//go:embed runtime.go.txt
var host string

// Sum tells what is changed from every other such change.
func Sum() string {
	h := sha256.New()
	fmt.Fprintln(h, host)
	for _, name := range slices.Sorted(maps.Keys(edits())) {
		fmt.Fprintf(h, "%s %q\n", name, edits()[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Tag is the build tag of such a program.
const Tag = "simulated"

// Overlay writes an overlay for go build into a directory, and returns its file. goroot is
// that of the command go.
func Overlay(goroot, dir string) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", ErrOther
	}
	src := filepath.Join(goroot, "src")
	replace := map[string]string{}
	write := func(name, text string) error {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(src, filepath.FromSlash(name))] = to
		return os.WriteFile(to, []byte(text), 0o644)
	}
	for name, all := range edits() {
		text, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrOther, err)
		}
		edited, err := edit(string(text), all)
		if err != nil {
			return "", fmt.Errorf("%w: %s: %w", ErrOther, name, err)
		}
		if err := write(name, edited); err != nil {
			return "", err
		}
	}
	if err := write("runtime/host_linux_amd64.go", host); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o644)
}

// edit makes all changes to a text, each of which must be possible in one place.
func edit(text string, all []change) (string, error) {
	for _, c := range all {
		if n := strings.Count(text, c.from); n != 1 {
			return "", fmt.Errorf("%q is there %d times", c.from, n)
		}
		text = strings.Replace(text, c.from, c.to, 1)
	}
	return text, nil
}
