package driver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"locktorture/locks/driver"
)

// FuzzReplies is the harness's side: whatever an untrusted driver writes is understood, or
// refused with an error that is short; what is taken of it is bounded and can be written down.
func FuzzReplies(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"version":1,"try":true,"traits":{"wait":"spin","token":true,"validity":"TTL","model":"fenced","least_ttl":50000000,"keys":"redis","free_within":1}}` + "\n" + `{"id":2,"lease":1,"token":18446744073709551615,"owner":"p1:x","remaining":-1}`,
		`{"id":3,"lease":9}` + "\n" + `{"event":"lost","lease":9,"mono":-9223372036854775808}` + "\n" + `{"event":"lost","lease":9}`,
		`{"id":2,"error":"not-acquired","message":"` + strings.Repeat("é", 2000) + `"}` + "\n" + `{"id":4,"error":"no class","message":""}`,
		`{"id":2,"lease":1}` + "\n" + `{"id":3,"lease":1}`, `{"id":1,"traits":null}`, `{"id":1,"traits":{"watch":true}}`, `{"id":1,"traits":{"retry":-1}}`, `{"id":99}`, `{"id":-1}`, `{}`, `[]`, `null`, "\n\r\n\x00", `{"id":5,"took":9223372036854775807}`,
		`{"id":2,"lease":1,"owner":"` + strings.Repeat("o", 1025) + `"}`, `{"ID":2,"LEASE":1e3}`, `{"id":2,"id":3,"lease":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		answers, err := driver.ReadReplies(bytes.NewReader(out), nil)
		if err == nil || !errors.Is(err, io.EOF) && len(err.Error()) > 4<<10 {
			t.Errorf("the end is %v", err)
		}
		leases := map[*driver.Lease]bool{}
		for id, a := range answers {
			if a.Err != nil && (a.Lease != nil && id != 1 || len(a.Err.Error()) > 8<<10 || !utf8.ValidString(a.Err.Error())) {
				t.Errorf("request %d: %q", id, a.Err)
			}
			if a.Lease == nil {
				continue
			}
			if leases[a.Lease] || len(a.Lease.Owner()) > 1<<10 || !utf8.ValidString(a.Lease.Owner()) {
				t.Errorf("request %d: lease of %q", id, a.Lease.Owner())
			}
			leases[a.Lease] = true
		}
	})
}

// FuzzServe is the driver's side: whatever a harness writes is answered with whole lines that
// are JSON, once for each id at most, or ends the driver with an error.
func FuzzServe(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"op":"open","open":{"backend":"bounded","ttl":1000000000,"process":1}}` + "\n" + `{"id":2,"op":"acquire","lock":"a","timeout":1}` + "\n" + `{"id":3,"op":"ask","lease":1}` + "\n" + `{"id":4,"op":"renew","lease":1}` + "\n" + `{"id":5,"op":"release","lease":1}` + "\n" + `{"id":6,"op":"close"}`,
		`{"id":1,"op":"open","open":{"backend":"bounded","ttl":9223372036854775807,"process":-1}}` + "\n" + `{"id":2,"op":"clock","offset":-9223372036854775808}` + "\n" + `{"id":3,"op":"acquire","lock":""}` + "\n" + `{"id":4,"op":"ask","lease":1}`,
		`{"id":1,"op":"open","open":{"backend":"watched","ttl":1}}` + "\n" + `{"id":2,"op":"acquire","lock":"fail:` + strings.Repeat("x", 3000) + `"}` + "\n" + `{"op":"cancel","target":2}`,
		`{"op":"open"}`, `{"id":1,"op":"try"}`, `{"id":1,"op":"no such"}`, `{"id":1,"op":"collect","least":-1}`, "[]", "\x00", `{"id":0,"op":"close"}`, `{"id":1,"op":"clock","offset":1e30}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("stubborn")) || bytes.Contains(in, []byte("collect")) {
			return // one takes its time, and a collection stops the world for as long as it is told
		}
		var out lockedBuffer
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = driver.Serve(ctx, open, bytes.NewReader(in), &out) // nonsense ends it
		if ctx.Err() != nil {
			t.Error("it did not end")
		}
		for line := range bytes.Lines(out.bytes()) {
			var r struct{ ID int64 }
			if err := json.Unmarshal(line, &r); err != nil || line[len(line)-1] != '\n' || len(line) > 1<<20 {
				t.Errorf("it wrote %.200q: %v", line, err)
			}
		}
	})
}

// A lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}
