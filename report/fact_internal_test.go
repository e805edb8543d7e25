package report

import (
	"bytes"
	"testing"
)

// A name that fills its column still has a space behind it.
func TestFact(t *testing.T) {
	for name, want := range map[string]string{"ttl 2 s": "ttl 2 s   hold\n", "ttl 500 ms": "ttl 500 ms hold\n"} {
		var b bytes.Buffer
		p := &printer{w: &b, Look: Look{Width: 80}}
		p.fact(name, "hold")
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
