package protocols_test

import (
	"path/filepath"
	"strings"
	"testing"

	"locktorture/wire"
	"locktorture/wire/blank"
	"locktorture/wire/protocols"
	"locktorture/wire/wiretest"
)

// TestBlanked: what servers and clients said without passwords can be decoded as well after it
// went through the blanker.
func TestBlanked(t *testing.T) {
	for _, protocol := range []string{"memcached", "consul", "postgres", "mariadb", "zookeeper", "etcd"} {
		chunks := wiretest.Read(t, filepath.Join("..", folder(protocol), "testdata", "real.txt"))
		conns := map[int]blank.Blanker{}
		var kept []wiretest.Chunk
		for _, c := range chunks {
			if conns[c.Conn] == nil {
				conns[c.Conn] = blank.For(protocol)
			}
			c.Data = conns[c.Conn].Blank(c.Reply, c.Data)
			kept = append(kept, c)
		}
		d := protocols.New(nil)
		plain, blanked := lines(wiretest.Text(chunks, func() wire.Decoder { return d.For(protocol) })), lines(wiretest.Text(kept, func() wire.Decoder { return d.For(protocol) }))
		if len(plain) != len(blanked) {
			t.Fatalf("%s: %d messages, %d when blanked", protocol, len(plain), len(blanked))
		}
		differ := 0
		for i := range plain {
			if plain[i] != blanked[i] {
				differ++
			}
		}
		if differ > len(plain)/10 {
			t.Errorf("%s: %d of %d messages are told otherwise", protocol, differ, len(plain))
		}
	}
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// folder returns where the decoder of a protocol is.
func folder(protocol string) string {
	switch protocol {
	case "consul":
		return "http1"
	case "etcd":
		return "protocols"
	}
	return protocol
}
