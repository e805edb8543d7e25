package wire_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
	"locktorture/wire"
	"locktorture/wire/redis"
)

// TestGuard: each message is asked about once, before it goes on, and pieces are whole
// messages.
func TestGuard(t *testing.T) {
	free := make(chan struct{})
	var asked []string
	g := &wire.Guard{
		Decoder: func(w cluster.Way) wire.Decoder {
			if w.Client == 2 {
				return nil
			}
			return redis.New(redis.NewScripts(nil))
		},
		Decide: func(w cluster.Way, conn int, m wire.Message) wire.Action {
			asked = append(asked, fmt.Sprint(w.Client, " ", conn, " ", m.String(), " ", m.Of))
			switch m.String() {
			case "PEXPIRE k 5":
				return wire.Action{Lost: true}
			case "OK":
				return wire.Action{Free: free}
			}
			return wire.Action{}
		},
	}
	up, down := g.Connect(cluster.Way{Client: 1})
	var said []string
	note := func(pieces []cluster.Piece) {
		for _, p := range pieces {
			said = append(said, fmt.Sprintf("%q %v %v", p.Data, p.Lost, p.Free != nil))
		}
	}
	note(up.Pass([]byte("SET k v\r\nPEXPIRE k 5\r\nGE")))
	note(down.Pass([]byte("+O")))
	note(up.Pass([]byte("T k\r\n")))
	note(down.Pass([]byte("K\r\n")))
	if d := cmp.Diff([]string{`"SET k v\r\n" false false`, `"PEXPIRE k 5\r\n" true false`, `"GET k\r\n" false false`, `"+OK\r\n" false true`}, said); d != "" {
		t.Errorf("pieces (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"1 1 SET k v ", "1 1 PEXPIRE k 5 ", "1 1 GET k ", "1 1 OK SET k v"}, asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	if up, down := g.Connect(cluster.Way{Client: 2}); up != nil || down != nil {
		t.Error("a connection without a decoder is guarded")
	}
}

// TestMentions: a name counts as a whole word, in the request of a reply too.
func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		text, of, name string
		want           bool
	}{
		{"SET lock:a v", "", "a", true}, {"SET lock:ab v", "", "a", false}, {"OK", "GET lock:a", "a", true},
		{"SET lock:aa lock:a", "", "a", true}, {"", "", "a", false}, {"SET a v", "", "", false},
	} {
		if got := (wire.Message{Text: tt.text, Of: tt.of}).Mentions(tt.name); got != tt.want {
			t.Errorf("%q, %q mention %q: %v", tt.text, tt.of, tt.name, got)
		}
	}
}
