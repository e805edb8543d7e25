package etcd_test

import (
	"testing"

	"locktorture/wire"
	"locktorture/wire/etcd"
	"locktorture/wire/wiretest"
)

// TestBytes: what is no HTTP/2 is shown as bytes.
func TestBytes(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("GET / HTTP/1.1\r\n")}, {Conn: 1, Reply: true, Data: []byte("HTTP/1.1 400 Bad Request\r\n")},
	}, func() wire.Decoder { return etcd.New(nil) })
	if want := "1 > 16 bytes \"GET / HTTP/1.1\\r\\n\"\n1 < 26 bytes \"HTTP/1.1 400 Bad Request\\r\\n\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
