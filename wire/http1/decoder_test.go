package http1_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
	"locktorture/wire/http1"
	"locktorture/wire/wiretest"
)

func decoder() wire.Decoder { return http1.New(http1.Consul()...) }

// TestReal decodes what a Consul and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestDecode: what a short run does not say.
func TestDecode(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("HEAD /v1/kv/a HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/kv/b HTTP/1.1\r\nHost: x\r\n\r\n")},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntrue\r\n0\r\n\r\n")},
		{Conn: 2, Reply: true, Data: []byte("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noh\r\n")},
		{Conn: 3, Data: []byte("\x16\x03\x01")},
		{Conn: 4, Data: []byte("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")},
		{Conn: 4, Reply: true, Data: []byte("\x00")},
		{Conn: 4, Reply: true, Data: []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue")},
	}, decoder)
	want := `1 > HEAD /v1/kv/a
1 > GET /v1/kv/b
1 < 200 OK  to HEAD /v1/kv/a
1 < 200 OK true  to GET /v1/kv/b
2 < 500 Internal Server Error "oh\r\n"
3 > 3 bytes "\x16\x03\x01"
4 > HEAD /a
4 > GET /b
4 < 1 bytes "\x00"
4 < 200 OK true
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestEncoded: a body is shown without its compression. One that cannot be decompressed is veiled.
func TestEncoded(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte("false")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		encoding, body string
		want           string // "": veiled
	}{
		{"gzip", z.String(), "200 OK false"}, {"GZIP", z.String(), "200 OK false"}, {"identity", "false", "200 OK false"}, {"br", "", "200 OK"},
		{"gzip", "false", ""}, {"gzip", z.String()[:20], ""}, {"br", "false", ""}, {"gzip, br", z.String(), ""},
	} {
		said := decoder().Decode(true, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", c.encoding, len(c.body), c.body))
		if len(said) != 1 || said[0].Veiled != (c.want == "") || !said[0].Veiled && said[0].String() != c.want {
			t.Errorf("%s %q: %+v", c.encoding, c.body, said)
		}
	}
}

// TestS3: an object store, with the conditions of its writes.
func TestS3(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("PUT /locks/a HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\nContent-Length: 2\r\n\r\nc1")},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n")},
		{Conn: 1, Data: []byte("DELETE /locks/a HTTP/1.1\r\nHost: x\r\nIf-Match: \"e1\"\r\n\r\n")},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 204 No Content\r\n\r\n")},
		{Conn: 1, Data: []byte("PUT /locks/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nc2")},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 200 OK\r\nETag: \"e2\"\r\nContent-Length: 0\r\n\r\n")},
	}, func() wire.Decoder { return http1.New(http1.S3()...) })
	want := `1 > PUT /locks/a if-none-match * c1
1 < 412 Precondition Failed  to PUT /locks/a if-none-match * c1
1 > DELETE /locks/a if-match "\"e1\""
1 < 204 No Content  to DELETE /locks/a if-match "\"e1\""
1 > PUT /locks/a c2
1 < 200 OK etag "\"e2\""  to PUT /locks/a c2
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
