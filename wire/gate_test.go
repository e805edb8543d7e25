package wire_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
	"locktorture/wire"
	"locktorture/wire/redis"
)

// TestObserver: each message is seen once, when its last byte comes, and data passes as it came.
func TestObserver(t *testing.T) {
	var seen []string
	o := &wire.Observer{
		Decoder: func(w cluster.Way) wire.Decoder {
			if w.Client == 2 {
				return nil
			}
			return redis.New(redis.NewScripts(nil))
		},
		See: func(w cluster.Way, conn int, m wire.Message) {
			seen = append(seen, fmt.Sprint(w.Client, " ", conn, " ", m.String(), " ", m.Of))
		},
	}
	up, down := o.Connect(cluster.Way{Client: 1})
	var said []string
	pass := func(g cluster.Gate, data string) {
		for _, p := range g.Pass([]byte(data)) {
			said = append(said, fmt.Sprintf("%q after %d messages", p.Data, len(seen)))
		}
	}
	pass(up, "SET k v\r\nPEXPIRE k 5\r\nGE")
	pass(down, "+O")
	pass(up, "T k\r\n")
	pass(down, "K\r\n")
	want := []string{`"SET k v\r\nPEXPIRE k 5\r\nGE" after 2 messages`, `"+O" after 2 messages`, `"T k\r\n" after 3 messages`, `"K\r\n" after 4 messages`}
	if d := cmp.Diff(want, said); d != "" {
		t.Errorf("data (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"1 1 SET k v ", "1 1 PEXPIRE k 5 ", "1 1 GET k ", "1 1 OK SET k v"}, seen); d != "" {
		t.Errorf("seen (-want +got):\n%s", d)
	}
	if up, down := o.Connect(cluster.Way{Client: 2}); up != nil || down != nil {
		t.Error("a connection without a decoder is observed")
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
