package native_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locktorture/simulate/machine/native"
)

// The runtime of this version of Go can be changed, and what is changed of it differs.
func TestOverlay(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("a native guest is one of Linux on amd64")
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := native.Overlay(strings.TrimSpace(string(out)), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Replace) < 9 {
		t.Errorf("%d files are replaced", len(list.Replace))
	}
	for of, by := range list.Replace {
		was, errWas := os.ReadFile(of)
		is, err := os.ReadFile(by)
		if err != nil || string(was) == string(is) || errWas != nil && !strings.HasPrefix(filepath.Base(of), "host_") {
			t.Errorf("%s: %v, %v, or it is the same", of, errWas, err)
		}
	}
}

// Another runtime is left alone.
func TestOverlayOfAnother(t *testing.T) {
	root := t.TempDir()
	if _, err := native.Overlay(root, t.TempDir()); !errors.Is(err, native.ErrOther) {
		t.Errorf("no source: %v", err)
	}
}
