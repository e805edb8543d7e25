package postgres_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"

	"locktorture/wire"
	"locktorture/wire/postgres"
	"locktorture/wire/wiretest"
)

func decoder() wire.Decoder { return postgres.New() }

// TestReal decodes what a PostgreSQL and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestDecode: what a short run does not say.
func TestDecode(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("\x00\x00\x00\x08\x04\xd2\x16\x2f")},
		{Conn: 1, Reply: true, Data: []byte("N")},
		{Conn: 1, Data: []byte("\x00\x00\x00\x09\x00\x03\x00\x00\x00p\x00\x00\x00\x08abcdQ\x00\x00\x00\x0dSELECT\n1\x00")},
		{Conn: 1, Reply: true, Data: []byte("R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05IZ\x00\x00\x00\x05E")},
		{Conn: 2, Reply: true, Data: []byte("!\x00")},
		{Conn: 3, Data: []byte("\x16\x03\x01\x02\x00\x01\x00\x01")},
	}, decoder)
	want := `1 > SSLRequest
1 < N (TLS)  to SSLRequest
1 > Startup version 3.0
1 > Password (4 bytes)
1 > Query SELECT 1
1 < Authentication ok  to Startup
1 < ReadyForQuery idle  to Startup
1 < ReadyForQuery in a failed transaction  to SELECT 1
2 < 2 bytes "!\x00"
3 > 8 bytes "\x16\x03\x01\x02\x00\x01\x00\x01"
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestLongRow: a row that is too long to be decoded may hide the end of an answer, so no later reply
// has a request.
func TestLongRow(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("\x00\x00\x00\x09\x00\x03\x00\x00\x00Q\x00\x00\x00\x06a\x00Q\x00\x00\x00\x06b\x00")},
		{Conn: 1, Reply: true, Data: []byte("Z\x00\x00\x00\x05ID\x01\x00\x00\x00")},
		{Conn: 1, Reply: true, Data: []byte("C\x00\x00\x00\x06x\x00Z\x00\x00\x00\x05I")},
	}, decoder)
	want := `1 > Startup version 3.0
1 > Query a
1 > Query b
1 < ReadyForQuery idle  to Startup
1 < 5 bytes "D\x01\x00\x00\x00"
1 < CommandComplete x
1 < ReadyForQuery idle
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestBinaryParameters: integers are shown as such, so that two keys never look alike.
func TestBinaryParameters(t *testing.T) {
	bind := func(codes ...int16) string {
		b := &pgproto3.Bind{ParameterFormatCodes: codes, Parameters: [][]byte{{0, 0, 0, 9}, []byte("paid"), {255, 254}, {0, 0, 0, 0, 0, 0, 0, 32}, nil}}
		data, err := b.Encode([]byte("\x00\x00\x00\x09\x00\x03\x00\x00\x00"))
		if err != nil {
			t.Fatal(err)
		}
		return wiretest.Text([]wiretest.Chunk{{Conn: 1, Data: data}}, decoder)
	}
	for _, c := range []struct {
		codes []int16
		want  string
	}{
		{[]int16{1, 0, 1, 1, 1}, "[9 paid -2 32 NULL]"},
		{[]int16{1}, "[9 1885432164 -2 32 NULL]"},
		{nil, `["\x00\x00\x00\t" paid`},
	} {
		if got := bind(c.codes...); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.codes, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
