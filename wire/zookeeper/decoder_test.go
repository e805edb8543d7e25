package zookeeper_test

import (
	"testing"

	"locktorture/wire"
	"locktorture/wire/wiretest"
	"locktorture/wire/zookeeper"
)

func decoder() wire.Decoder { return zookeeper.New() }

// TestReal decodes what a ZooKeeper and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestBytes: what is no record is shown as bytes.
func TestBytes(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{{Conn: 1, Data: []byte("ruok")}, {Conn: 1, Reply: true, Data: []byte("\x00\x00\x00\x02ok")}}, decoder)
	if want := "1 > 4 bytes \"ruok\"\n1 < 6 bytes \"\\x00\\x00\\x00\\x02ok\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
