package atomicfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"locktorture/internal/atomicfile"
)

// TestWriteKeepsWhatIsNoFile shows that a file is replaced, a link stays a link to what is
// replaced, and what is no regular file is written into: as root a rename would put a file in
// the place of /dev/null.
func TestWriteKeepsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("old, and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteText(link, "new"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "new" {
		t.Errorf("the file holds %q: %v", b, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v: %v", info.Mode(), err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that a writer is not kept waiting
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := atomicfile.WriteText(pipe, "through"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 7)
	if _, err := reader.Read(b); err != nil || string(b) != "through" {
		t.Errorf("the pipe gave %q: %v", b, err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v: %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%d files are there, want 3: %v", len(entries), err)
	}
}

// TestWriteInFollowsNoLink shows that a file of a directory that may be a stranger's takes the
// place of a link, and that what the link names stays as it is.
func TestWriteInFollowsNoLink(t *testing.T) {
	dir, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, filepath.Join(dir, "junit.xml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(mine), filepath.Join(dir, "runs")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteTextIn(dir, "junit.xml", "new"); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteTextIn(dir, "runs/mine", "new"); err == nil {
		t.Error("a file was written through a link to a directory")
	}
	info, err := os.Stat(mine)
	if b, _ := os.ReadFile(mine); err != nil || string(b) != "mine" || info.Mode().Perm() != 0o600 {
		t.Errorf("it holds %q now, mode %v: %v", b, info.Mode(), err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "junit.xml")); err != nil || string(b) != "new" {
		t.Errorf("the directory has %q: %v", b, err)
	}
}
