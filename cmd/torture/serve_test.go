package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
)

// serve says so when others than the readers of this machine can reach it, and only then.
func TestServeSaysWhoCanReachIt(t *testing.T) {
	t.Parallel()
	for addr, warned := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true} {
		ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
		out := whenSaid{then: cancel}
		var errOut bytes.Buffer
		code := inProcess(ctx, []string{"serve", "--addr", addr, t.TempDir()}, nil, &out, &errOut)
		cancel()
		if code != exit.OK || !strings.HasPrefix(out.String(), "http://") {
			t.Errorf("%s: exit code %d, %q %q", addr, code, &out, &errOut)
		}
		if got := strings.Contains(errOut.String(), "no loopback address"); got != warned {
			t.Errorf("%s: warned %v: %q", addr, got, &errOut)
		}
	}
}

// A whenSaid does something once it was written to.
type whenSaid struct {
	bytes.Buffer
	then func()
}

func (w *whenSaid) Write(b []byte) (int, error) {
	defer w.then()
	return w.Buffer.Write(b)
}
