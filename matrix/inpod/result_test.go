package inpod

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locktorture/report/scorecard"
)

// What a pod prints is read back, whatever else stands in its log, in lines that no container
// runtime breaks.
func TestResult(t *testing.T) {
	t.Parallel()
	dir, noise := t.TempDir(), make([]byte, 300_000)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "store"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "store", "noise"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	try := scorecard.Try{Backend: "redis-set", Seed: 7, State: scorecard.Tried, Dir: "runs/x", Reason: strings.Repeat("long ", 10_000)}
	var log bytes.Buffer
	log.WriteString("something else\n")
	if err := Print(&log, try, dir); err != nil {
		t.Fatal(err)
	}
	whole := log.String()
	for line := range strings.Lines(whole) {
		if len(line) >= 16<<10 {
			t.Fatalf("a line of %d bytes", len(line))
		}
	}
	r, err := ReadResult(strings.NewReader(whole + "the end"))
	if err != nil || r.Lost != "" || r.Try.Backend != try.Backend || r.Try.Seed != try.Seed || r.Try.Reason != try.Reason {
		t.Fatalf("%v, lost %q, %v", err, r.Lost, r.Try)
	}
	to := filepath.Join(t.TempDir(), "runs", "x")
	for range 2 { // fetched again, it replaces the first
		if err := Unpack(r.Dir, to); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(to, "store", "noise")); err != nil || !bytes.Equal(b, noise) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(to), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// A log that is cut off, or that was changed, has its verdict, and no directory.
	lines := strings.SplitAfter(whole, "\n")
	for what, text := range map[string]string{
		"cut off":        strings.Join(lines[:len(lines)-10], ""),
		"a line is gone": strings.Join(slices.Delete(slices.Clone(lines), len(lines)-5, len(lines)-4), ""),
		"changed":        strings.Join(lines[:len(lines)-3], "") + strings.Repeat("A", 12_000) + "\n" + lines[len(lines)-2],
	} {
		if r, err := ReadResult(strings.NewReader(text)); err != nil || r.Lost == "" || r.Dir != nil || r.Try.Seed != 7 {
			t.Errorf("%s: %v, lost %q, %d bytes", what, err, r.Lost, len(r.Dir))
		}
	}
	if _, err := ReadResult(strings.NewReader(whole[:1000])); !errors.Is(err, ErrNoVerdict) {
		t.Errorf("without a verdict: %v", err)
	}
}

// A directory that no log carries is left out, and that is said.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	dir, noise := t.TempDir(), make([]byte, largest+100)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "noise"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := Print(&log, scorecard.Try{Dir: "runs/x", State: scorecard.Tried}, dir); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadResult(&log); err != nil || !strings.Contains(r.Lost, "but the log of a pod holds only") {
		t.Errorf("%v, lost %q", err, r.Lost)
	}
}

// Nothing in a directory that a pod has packed leads out of it.
func TestUnpackStaysInside(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]byte{"../x": tar.TypeReg, "/x": tar.TypeReg, "link": tar.TypeSymlink} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: "/etc"}), w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		base := t.TempDir()
		if err := Unpack(b.Bytes(), filepath.Join(base, "runs", "x")); err == nil {
			t.Errorf("%s was unpacked", name)
		}
		if _, err := os.Lstat(filepath.Join(base, "runs", "x")); err == nil {
			t.Errorf("%s: half a directory is there", name)
		}
	}
	if b, err := pack(fstest.MapFS{"a/b": {Data: []byte("x")}}); err != nil || len(b) == 0 {
		t.Error(err)
	}
}
