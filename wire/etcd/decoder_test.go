package etcd_test

import (
	"testing"

	"locktorture/wire"
	"locktorture/wire/etcd"
	"locktorture/wire/wiretest"
)

func decoder() wire.Decoder { return etcd.New() }

// TestReal decodes what an etcd and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestBytes: what is no HTTP/2 is shown as bytes.
func TestBytes(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("GET / HTTP/1.1\r\n")}, {Conn: 1, Reply: true, Data: []byte("HTTP/1.1 400 Bad Request\r\n")},
	}, decoder)
	if want := "1 > 16 bytes \"GET / HTTP/1.1\\r\\n\"\n1 < 26 bytes \"HTTP/1.1 400 Bad Request\\r\\n\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
