package memcached_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
	"locktorture/wire/memcached"
	"locktorture/wire/wiretest"
)

func decoder() wire.Decoder { return memcached.New() }

// TestReal decodes what a memcached and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestDecode: what a short run does not say.
func TestDecode(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("set k 0 10 5 noreply\r\na b\r\n\r\nget k l\r\nstats\r\nms k 2 T5\r\nhi\r\nmg k v\r\ntouch k 1\r\n")},
		{Conn: 1, Reply: true, Data: []byte("VALUE k 0 5\r\na b\r\n\r\nVALUE l 0 0\r\n\r\nEND\r\nSTAT pid 1\r\nEND\r\nHD\r\nVA 2\r\nhi\r\nSERVER_ERROR out of memory\r\n")},
		{Conn: 2, Data: []byte("\x80\x00\r\n")},
		{Conn: 3, Data: []byte("md q\r\nmg a v q\r\nmg b v q\r\nmn\r\nms k 1 ME\r\n1\r\nmg x v q\r\nmg y v\r\n")},
		{Conn: 3, Reply: true, Data: []byte("HD\r\nVA 1\r\n1\r\nMN\r\nNS\r\nEN\r\n")},
	}, decoder)
	want := `1 > set k 0 10 5 noreply = "a b\r\n"
1 > get k l
1 > stats
1 > ms k 2 T5 = hi
1 > mg k v
1 > touch k 1
1 < VALUE k 0 5 = "a b\r\n", VALUE l 0 0 = "", END  to get k l
1 < STAT pid 1, END  to stats
1 < HD  to ms k 2 T5 = hi
1 < VA 2 = hi  to mg k v
1 < SERVER_ERROR out of memory  to touch k 1
2 > 4 bytes "\x80\x00\r\n"
3 > md q
3 > mg a v q
3 > mg b v q
3 > mn
3 > ms k 1 ME = 1
3 > mg x v q
3 > mg y v
3 < HD  to md q
3 < VA 1 = 1
3 < MN  to mn
3 < NS  to ms k 1 ME = 1
3 < EN
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
