package machine

import (
	"bytes"
	"testing"
)

const header = "\x00asm\x01\x00\x00\x00"

// The data of a module becomes an image, and all else stays as it is.
func TestTakeImage(t *testing.T) {
	custom, code := "\x00\x05\x04name", "\x0a\x01\x00"
	data := "\x0b\x10\x02" + "\x00\x41\x02\x0b\x03abc" + "\x00\x41\x08\x0b\x02de"
	wasm := header + custom + "\x0c\x01\x02" + code + data + custom
	got, image, err := takeImage([]byte(wasm))
	if err != nil {
		t.Fatal(err)
	}
	if want := header + custom + code + custom; string(got) != want {
		t.Errorf("code %q, want %q", got, want)
	}
	if want := []byte("\x00\x00abc\x00\x00\x00de"); !bytes.Equal(image, want) {
		t.Errorf("image %q, want %q", image, want)
	}
	for i := range len(wasm) {
		if _, _, err := takeImage([]byte(wasm[:i])); err == nil && i != len(header) && !whole(wasm[:i], custom, code, data) {
			t.Errorf("%q, cut off after %d bytes, was taken", wasm, i)
		}
	}
	for _, bad := range []string{"", "no module", header + "\x0b\x08\x01\x01\x41\x02\x0b\x01a\x00", header + "\x0b\x07\x01\x00\x23\x02\x0b\x01a"} {
		if _, _, err := takeImage([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// The code exports its globals beside what it exported.
func TestTakeImageExports(t *testing.T) {
	globals := "\x06\x0b\x02\x7f\x01\x41\x00\x0b\x7e\x01\x42\x00\x0b"
	exports := "\x07\x07\x01\x03run\x00\x05"
	got, _, err := takeImage([]byte(header + globals + exports))
	if err != nil {
		t.Fatal(err)
	}
	want := header + globals + "\x07\x1d\x03\x03run\x00\x05" + "\x08global-0\x03\x00" + "\x08global-1\x03\x01"
	if string(got) != want {
		t.Errorf("code %q, want %q", got, want)
	}
}

// whole reports whether a module ends with a section.
func whole(wasm string, sections ...string) bool {
	for at := len(header); at < len(wasm); {
		found := false
		for _, s := range append(sections, "\x0c\x01\x02") {
			if !found && len(wasm[at:]) >= len(s) && wasm[at:at+len(s)] == s {
				at, found = at+len(s), true
			}
		}
		if !found {
			return false
		}
	}
	return true
}
