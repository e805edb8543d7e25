package plainfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"locktorture/internal/plainfile"
)

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOnlyRegularFiles: a pipe that nobody writes to, a device without an end, a directory and
// a link are refused at once.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	fatal(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	fatal(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	fatal(t, os.Mkdir(filepath.Join(dir, "dir"), 0o700))
	fatal(t, os.Symlink("file", filepath.Join(dir, "link")))
	fatal(t, os.Symlink("dir", filepath.Join(dir, "runs")))
	fatal(t, os.WriteFile(filepath.Join(dir, "dir", "file"), []byte("below"), 0o600))

	for name, says := range map[string]string{
		"pipe": "is a pipe", "dir": "is a directory", "link": "a link", "runs/file": "a link", "../file": "leads out", "none": "no such file",
	} {
		if _, err := plainfile.ReadIn(dir, name, 10); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %s", name, err, says)
		}
	}
	if _, err := plainfile.ReadIn(dir, "none", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for path, says := range map[string]string{filepath.Join(dir, "pipe"): "is a pipe", "/dev/zero": "is a device", dir: "is a directory"} {
		if _, err := plainfile.Read(path, 10); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %s", path, err, says)
		}
	}
	for _, name := range []string{"file", "dir/file"} {
		if _, err := plainfile.ReadIn(dir, name, 10); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b, err := plainfile.Read(filepath.Join(dir, "link"), 4); err != nil || string(b) != "text" {
		t.Errorf("a link that the user has named gave %q, %v", b, err)
	}
	if _, err := plainfile.Read(filepath.Join(dir, "file"), 3); err == nil || !strings.Contains(err.Error(), "larger than 3 bytes") {
		t.Errorf("a file above its bound: %v", err)
	}
}

// TestWritesFollowNoLink: neither a new file nor one that is updated is made where a link
// leads.
func TestWritesFollowNoLink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	fatal(t, os.Symlink(other, filepath.Join(dir, "link")))
	if _, err := plainfile.CreateIn(dir, "link"); err == nil {
		t.Error("a file was made in the place of a link")
	}
	if _, err := plainfile.UpdateIn(dir, "link"); !errors.Is(err, plainfile.ErrLink) {
		t.Errorf("a link was updated: %v", err)
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("the link was followed")
	}
	f, err := plainfile.UpdateIn(dir, "new")
	fatal(t, err)
	fatal(t, f.Close())
}
