package protocols_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
	"locktorture/wire/blank"
	"locktorture/wire/protocols"
	"locktorture/wire/wiretest"
)

// TestGateway: etcd's HTTP gateway is read, however its data is cut, and a password on it is not kept.
func TestGateway(t *testing.T) {
	said := []wiretest.Chunk{
		{Conn: 1, Data: []byte("POST /v3/kv/put HTTP/1.1\r\nHost: x\r\nAuthorization: s3cret-token\r\nContent-Length: 32\r\n\r\n" + `{"key": "L2Ex", "value": "b25l"}`)},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n" + `{"header":{"revision":2}}`)},
		{Conn: 1, Data: []byte("POST /v3/auth/authenticate HTTP/1.1\r\nHost: x\r\nContent-Length: 23\r\n\r\n" + `{"password":"s3cretPW"}`)},
		{Conn: 1, Reply: true, Data: []byte("HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n" + `{"token":"s3cretTOK"}`)},
	}
	want := `1 > POST /v3/kv/put {"key":"/a1","value":"one"}
1 < 200 OK {"header":{"revision":2}}  to POST /v3/kv/put {"key":"/a1","value":"one"}
`
	for _, piece := range []int{1, 3, 1000} {
		b := blank.For("etcd")
		var cut []wiretest.Chunk
		var kept strings.Builder
		for _, c := range said {
			for data := c.Data; len(data) > 0; {
				n := min(piece, len(data))
				out := b.Blank(c.Reply, data[:n])
				kept.Write(out)
				cut = append(cut, wiretest.Chunk{Conn: 1, Reply: c.Reply, Data: out})
				data = data[n:]
			}
		}
		if strings.Contains(kept.String(), "s3cret") {
			t.Errorf("in pieces of %d a secret is kept:\n%s", piece, kept.String())
		}
		got := wiretest.Text(cut, func() wire.Decoder { return protocols.New(nil).For("etcd") })
		if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" {
			t.Errorf("in pieces of %d (-want +got):\n%s", piece, d)
		}
	}
}
