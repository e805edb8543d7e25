package blank_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"locktorture/wire/blank"
)

const secret = "Tr0ub4dor-and-3-more"

// A said is data of one direction.
type said struct {
	reply bool
	data  string
}

// long returns a message of PostgreSQL: its type, if it has one, and its length before it.
func long(kind, body string) string {
	return kind + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))) + body
}

// packet returns one of MariaDB.
func packet(seq byte, body string) string {
	return string([]byte{byte(len(body)), byte(len(body) >> 8), 0, seq}) + body
}

// jute returns a record of ZooKeeper with its length before it; numbers are int32, strings have
// their length.
func jute(fields ...any) string {
	var b []byte
	for _, f := range fields {
		switch f := f.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(int32(f)))
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(f))), f...)
		}
	}
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(b)))) + string(b)
}

// calls are HTTP/2 frames of two calls: one that logs in, and one with the token.
func calls(t testing.TB) (requests, replies string) {
	var out, in, block bytes.Buffer
	packer := hpack.NewEncoder(&block)
	f, g := http2.NewFramer(&out, nil), http2.NewFramer(&in, nil)
	headers := func(id uint32, path, token string) {
		block.Reset()
		for _, h := range []hpack.HeaderField{{Name: ":method", Value: "POST"}, {Name: ":path", Value: path}, {Name: "token", Value: token}} {
			if err := packer.WriteField(h); err != nil {
				t.Fatal(err)
			}
		}
		b := block.Bytes()
		must(t, f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:2]}))
		must(t, f.WriteContinuation(id, true, b[2:]))
	}
	out.WriteString(http2.ClientPreface)
	must(t, f.WriteSettings())
	headers(1, "/etcdserverpb.Auth/Authenticate", "")
	must(t, f.WriteData(1, true, []byte("\x00\x00\x00\x00\x16name"+secret)))
	must(t, g.WriteData(1, true, []byte("\x00\x00\x00\x00\x16told"+secret)))
	headers(3, "/etcdserverpb.KV/Range", secret)
	headers(5, "/etcdserverpb.KV/Range", secret) // from the table
	must(t, f.WriteData(5, true, []byte("\x00\x00\x00\x00\x03\x0a\x01k")))
	return out.String(), in.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logins returns what is said with a secret, of each protocol, and what must be told of it.
func logins(t testing.TB) map[string]struct {
	said []said
	told string
} {
	requests, replies := calls(t)
	type login = struct {
		said []said
		told string
	}
	return map[string]login{
		"redis":     {[]said{{false, resp("AUTH", "u", secret) + resp("GET", "told")}, {true, "+OK\r\n"}}, "told"},
		"memcached": {[]said{{false, "set login 0 0 24\r\nusr " + secret + "\r\nget told\r\n"}, {true, "STORED\r\n"}}, "get told"},
		"s3": {[]said{{false, "PUT /locks/told?X-Amz-Credential=" + secret + "&X-Amz-Signature=" + secret + " HTTP/1.1\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + secret +
			"\r\nX-Amz-Security-Token: " + secret + "\r\nIf-None-Match: *\r\nContent-Length: 4\r\n\r\ntold"}}, "PUT /locks/told?"},
		"consul": {[]said{{false, "GET /v1/kv/told?token=" + secret + "&wait=1s HTTP/1.1\r\nX-CONSUL-TOKEN: " + secret + "\r\nAuthorization: Bearer " + secret +
			"\r\nHost: x\r\n\r\n"}}, "&wait=1s HTTP/1.1\r\nX-CONSUL-TOKEN:"},
		"postgres": {[]said{{false, long("", "\x00\x03\x00\x00user\x00"+secret+"\x00\x00")}, {true, long("R", "\x00\x00\x00\x0ar="+secret)},
			{false, long("p", "n,,"+secret)}, {true, long("R", "\x00\x00\x00\x00") + long("Z", "I")}, {false, long("Q", "SELECT told\x00")}}, "SELECT told"},
		"mariadb": {[]said{{true, packet(0, "\x0a5.5\x00")}, {false, packet(1, strings.Repeat("\x00", 32)+secret)}, {true, packet(2, "\xfenative")},
			{false, packet(3, secret)}, {true, packet(4, "\x00\x00\x00")}, {false, packet(0, "\x03SELECT told")}, {false, packet(0, "\x11"+secret)},
			{false, packet(1, secret)}}, "SELECT told"},
		"zookeeper": {[]said{{false, jute(0, 0, 0, 0, 0, 0, secret)}, {true, jute(0, 0, 0, 0, secret)}, {false, jute(-4, 100, 0, "digest", "u:"+secret)},
			{false, jute(1, 1, "/told", "", 1, 31, "digest", secret, 0)}, {false, jute(2, 14, 1) + ""}}, "/told"},
		"etcd": {[]said{{false, requests}, {true, replies}}, "\x0a\x01k"},
	}
}

// TestSecrets: of no protocol a secret is told, however what is said is cut, and the rest is.
func TestSecrets(t *testing.T) {
	for protocol, login := range logins(t) {
		for _, piece := range []int{1, 7, 1 << 20} {
			b, out := blank.For(protocol), ""
			for _, s := range login.said {
				for data := s.data; len(data) > 0; {
					n := min(piece, len(data))
					out += string(b.Blank(s.reply, []byte(data[:n])))
					data = data[n:]
				}
			}
			if strings.Contains(out, secret) {
				t.Errorf("%s, %d bytes at a time: the secret is in %q", protocol, piece, out)
			}
			if !strings.Contains(out, login.told) {
				t.Errorf("%s, %d bytes at a time: %q is not in %q", protocol, piece, login.told, out)
			}
		}
	}
}

// TestMiddle: a connection of etcd that is joined late tells nothing: what its headers were
// packed by is not there.
func TestMiddle(t *testing.T) {
	requests, _ := calls(t)
	for from := range 60 {
		out := string(blank.For("etcd").Blank(false, []byte(requests[from+1:])))
		if strings.Trim(out, "*") != "" {
			t.Errorf("from byte %d on: %q", from+1, out)
		}
	}
}

// TestKnown: a text that is known to be a secret is blanked wherever it stands.
func TestKnown(t *testing.T) {
	b := blank.Known(blank.For("redis"), "user-5d1c", "ab")
	if got := string(b.Blank(true, []byte("-ERR no user-5d1c ab\r\n"))); got != "-ERR no ********* ab\r\n" {
		t.Errorf("got %q", got)
	}
	if blank.Known(nil, "user-5d1c") != nil {
		t.Error("nothing to blank, and a blanker")
	}
}

// FuzzBlank: no bytes end the program, and none are made up where the protocol writes nothing
// anew.
func FuzzBlank(f *testing.F) {
	for protocol, login := range logins(f) {
		for _, s := range login.said {
			f.Add(protocol, s.reply, []byte(s.data), uint16(3))
		}
	}
	f.Fuzz(func(t *testing.T, protocol string, reply bool, data []byte, cut uint16) {
		b := blank.For(protocol)
		if b == nil {
			return
		}
		n, out := min(int(cut), len(data)), 0
		for _, part := range [][]byte{data[:n], data[n:]} {
			before := bytes.Clone(part)
			out += len(b.Blank(reply, part))
			if !bytes.Equal(before, part) {
				t.Fatal("the data was changed")
			}
		}
		if out > len(data) && protocol != "etcd" {
			t.Fatal(fmt.Sprint(out, " bytes of ", len(data)))
		}
	})
}
