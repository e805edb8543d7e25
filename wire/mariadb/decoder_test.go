package mariadb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
	"locktorture/wire/mariadb"
	"locktorture/wire/wiretest"
)

func decoder() wire.Decoder { return mariadb.New() }

// TestReal decodes what a MariaDB and its client said in a short run.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// TestBytes: what is no packet, and what answers nothing that was seen, is shown as bytes.
func TestBytes(t *testing.T) {
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Data: []byte("GET / HTTP/1.0")},
		{Conn: 1, Reply: true, Data: []byte("\x01\x00\x00\x00\x07")},
		{Conn: 2, Reply: true, Data: []byte("\x03\x00\x00\x00\xff\x10\x04")},
	}, decoder)
	if want := "1 > 14 bytes \"GET / HTTP/1.0\"\n1 < 5 bytes \"\\x01\\x00\\x00\\x00\\a\"\n2 < error 1040 \"\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// packet returns a packet with its number.
func packet(seq byte, body string) string { return string([]byte{byte(len(body)), 0, 0, seq}) + body }

// column returns what is said of a column.
func column(name string, kind byte) string {
	return "\x03def\x00\x00\x00" + string(rune(len(name))) + name + "\x00\x0c\x3f\x00\x00\x00\x00\x00" + string([]byte{kind}) + "\x00\x00\x00\x00\x00"
}

// TestPrepared: the binary protocol, which the locks of the short run do not speak.
func TestPrepared(t *testing.T) {
	login := strings.Repeat("\x00", 32)
	eof := "\xfe\x00\x00\x02\x00"
	got := wiretest.Text([]wiretest.Chunk{
		{Conn: 1, Reply: true, Data: []byte(packet(0, "\x0a10.11\x00"))}, {Conn: 1, Data: []byte(packet(1, login))}, {Conn: 1, Reply: true, Data: []byte(packet(2, "\x00\x00\x00"))},
		{Conn: 1, Data: []byte(packet(0, "\x16SELECT a, b FROM t WHERE c = ? AND d = ?"))},
		{Conn: 1, Reply: true, Data: []byte(packet(1, "\x00\x07\x00\x00\x00\x02\x00\x02\x00\x00\x00\x00") + packet(2, column("?", 8)) + packet(3, column("?", 253)) +
			packet(4, eof) + packet(5, column("a", 8)) + packet(6, column("b", 12)) + packet(7, eof))},
		{Conn: 1, Data: []byte(packet(0, "\x17\x07\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\xfd\x00\xfe\xff\xff\xff\xff\xff\xff\xff\x02hi"))},
		{Conn: 1, Reply: true, Data: []byte(packet(1, "\x02") + packet(2, column("a", 8)) + packet(3, column("b", 12)) + packet(4, eof) +
			packet(5, "\x00\x00\x2a\x00\x00\x00\x00\x00\x00\x00\x07\xea\x07\x0b\x16\x14\x0f\x07") + packet(6, "\x00\x0c") + packet(7, eof))},
		{Conn: 1, Data: []byte(packet(0, "\x19\x07\x00\x00\x00") + packet(0, "\x01"))},
	}, decoder)
	const query = "SELECT a, b FROM t WHERE c = ? AND d = ?"
	want := "1 < greeting 10.11\n1 > login (0 bytes)\n1 < OK  to login\n1 > prepare " + query + "\n1 < OK  to prepare " + query +
		"\n1 > execute " + query + " [-2 hi]\n1 < rows 2: [42 2026-11-22T20:15:07] [NULL NULL]  to execute " + query + " [-2 hi]\n1 > close " + query + "\n1 > quit\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// in returns a connection that has logged in, and what is printed of that.
func in() (chunks []wiretest.Chunk, text string) {
	return []wiretest.Chunk{
		{Conn: 1, Reply: true, Data: []byte(packet(0, "\x0a10.11\x00"))}, {Conn: 1, Data: []byte(packet(1, strings.Repeat("\x00", 32)))}, {Conn: 1, Reply: true, Data: []byte(packet(2, "\x00\x00\x00"))},
	}, "1 < greeting 10.11\n1 > login (0 bytes)\n1 < OK  to login\n"
}

// ok returns the OK of a server after a change of this many rows.
func ok(rows, status byte) string {
	return packet(1, "\x00"+string([]byte{rows, 0, status})+"\x00\x00\x00")
}

// TestPairs: which request a reply answers.
func TestPairs(t *testing.T) {
	query := func(text string) string { return packet(0, "\x03"+text) }
	for _, c := range []struct {
		name   string
		chunks []wiretest.Chunk
		want   string
	}{
		{"a packet that is too long may hide an answer", []wiretest.Chunk{
			{Data: []byte(query("a") + query("b"))}, {Reply: true, Data: []byte("\xff\xff\xff\x01")}, {Reply: true, Data: []byte(ok(1, 2))},
		}, "1 > query a\n1 > query b\n1 < 4 bytes \"\\xff\\xff\\xff\\x01\"\n1 < 7 bytes \"\\x00\\x01\\x00\\x02\\x00\\x00\\x00\"\n"},
		{"the answer to a change of user", []wiretest.Chunk{
			{Data: []byte(query("a") + packet(0, "\x11u"))}, {Reply: true, Data: []byte(ok(1, 2) + ok(0, 2))},
			{Data: []byte(query("b"))}, {Reply: true, Data: []byte(ok(2, 2))},
		}, "1 > query a\n1 > changeUser\n1 < OK 1 rows changed  to query a\n1 < OK  to login\n1 > query b\n1 < OK 2 rows changed  to query b\n"},
		{"a request with several results", []wiretest.Chunk{
			{Data: []byte(query("a; b") + query("c"))}, {Reply: true, Data: []byte(ok(1, 2|8) + ok(0, 2) + ok(2, 2))},
		}, "1 > query a; b\n1 > query c\n1 < OK 1 rows changed  to query a; b\n1 < OK 0 rows changed  to query a; b\n1 < OK 2 rows changed  to query c\n"},
		{"an execution that does not wait for its statement", []wiretest.Chunk{
			{Data: []byte(packet(0, "\x16INSERT ?") + packet(0, "\x17\xff\xff\xff\xff\x00\x01\x00\x00\x00\x00\x01\x08\x00\x11\x00\x00\x00\x00\x00\x00\x00"))},
			{Reply: true, Data: []byte(packet(1, "\x00\x07\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00") + packet(2, column("?", 8)) + packet(3, "\xfe\x00\x00\x02\x00") + ok(1, 2))},
		}, "1 > prepare INSERT ?\n1 > execute INSERT ?, parameters unknown\n1 < OK  to prepare INSERT ?\n1 < OK 1 rows changed  to execute INSERT ?, parameters unknown\n"},
	} {
		chunks, text := in()
		for _, more := range c.chunks {
			more.Conn = 1
			chunks = append(chunks, more)
		}
		if d := cmp.Diff(text+c.want, wiretest.Text(chunks, decoder)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func FuzzDecode(f *testing.F) { wiretest.Fuzz(f, decoder) }
