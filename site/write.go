package site

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"locktorture/internal/atomicfile"
)

// mark is the file by which a directory is known as a site.
const mark = "style.css"

// Write writes the pages into a directory, which is made if need be. Pages that an earlier site has left
// there are removed. A directory with other files in it is refused.
func (s *Site) Write(dir string) error {
	if err := cleanse(dir); err != nil {
		return err
	}
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Files)), func(path string) bool { return path == mark })
	for _, path := range append([]string{mark}, paths...) { // the mark first: a write that is interrupted leaves a site
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := atomicfile.WriteText(full, string(s.Files[path])); err != nil {
			return err
		}
	}
	return nil
}

// folders are those that a site has.
func folders() []string { return []string{"faults", "findings", "locks"} }

// cleanse removes the pages of an earlier site.
func cleanse(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != mark && name != "index.html" && !slices.Contains(folders(), name) {
			return fmt.Errorf("%s is no site: it has %s; name an empty directory, or one that does not exist", dir, name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, mark)); err != nil {
		return fmt.Errorf("%s is no site: it has no %s; name an empty directory, or one that does not exist", dir, mark)
	}
	for _, folder := range folders() {
		pages, err := filepath.Glob(filepath.Join(dir, folder, "*.html"))
		if err != nil {
			return err
		}
		for _, page := range pages {
			if err := os.Remove(page); err != nil {
				return err
			}
		}
	}
	return nil
}
