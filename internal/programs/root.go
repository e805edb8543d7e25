package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
)

// module is the path of this one, as its go.mod says.
const module = "locktorture"

// Root is the directory of the source of torture: the one above this program (bin/torture), above
// the current directory, or where this program was built.
func Root() (string, bool) {
	var from []string
	if self, err := os.Executable(); err == nil {
		from = append(from, filepath.Dir(self))
	}
	if dir, err := os.Getwd(); err == nil {
		from = append(from, dir)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		from = append(from, filepath.Dir(file))
	}
	for _, dir := range from {
		if root, ok := above(dir); ok {
			return root, true
		}
	}
	return "", false
}

// above finds the root at a directory or above it.
func above(dir string) (string, bool) {
	for {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(b, []byte("module "+module+"\n")) {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
