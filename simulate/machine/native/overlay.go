// Package native builds programs for this machine that get time, randomness and waits from the
// host of a simulation instead of the kernel. Sockets, if any, also come from the host. A
// program has no child processes, and no files except those of one folder: other system calls
// fail. The build changes a few lines of Go's runtime, and of the packages that enter the
// kernel, for this program only. The libraries and the program itself are unchanged. The
// program has one thread, so the host's answers determine its behaviour.
package native

import (
	"crypto/sha256"
	"embed"
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

// ErrOther reports that native programs cannot be built for this machine or this version of Go.
var ErrOther = errors.New("no native guest for this machine or version of Go")

//go:embed runtime.go.txt sockets.go.txt files.go.txt
var added embed.FS

// hosts returns the files that are added to the runtime, by name.
func hosts() map[string]string {
	all := map[string]string{}
	for _, name := range []string{"runtime", "sockets", "files"} {
		text, err := added.ReadFile(name + ".go.txt")
		if err != nil {
			panic(err) // it is embedded
		}
		all["runtime/host_"+name+"_linux_amd64.go"] = string(text)
	}
	return all
}

// Sum returns a hash that identifies the set of changes.
func Sum() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(hosts())) {
		fmt.Fprintln(h, hosts()[name])
	}
	for _, name := range slices.Sorted(maps.Keys(edits())) {
		fmt.Fprintf(h, "%s %q\n", name, edits()[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Tag is the build tag of native programs.
const Tag = "simulated"

// Overlay writes an overlay for go build into a directory, and returns its file. goroot is the
// GOROOT of the go command.
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
	for name, text := range hosts() {
		if err := write(name, text); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o644)
}

// edit applies all changes to a text. It fails if the text of a change does not occur exactly once.
func edit(text string, all []change) (string, error) {
	for _, c := range all {
		if n := strings.Count(text, c.from); n != 1 {
			return "", fmt.Errorf("%q occurs %d times, must occur once", c.from, n)
		}
		text = strings.Replace(text, c.from, c.to, 1)
	}
	return text, nil
}
