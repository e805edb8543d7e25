package wire_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
	"locktorture/wire"
	"locktorture/wire/redis"
)

// TestObserver: each message is seen once, when its last byte comes.
func TestObserver(t *testing.T) {
	var seen []string
	o := &wire.Observer{
		Decoder: func(w cluster.Way) wire.Decoder {
			if w.Client == 2 {
				return nil
			}
			return redis.New(redis.NewScripts(nil))
		},
		See: func(w cluster.Way, conn int, m wire.Message) func() {
			seen = append(seen, fmt.Sprint(w.Client, " ", conn, " ", m.String(), " ", m.Of))
			return nil
		},
	}
	up, down := o.Connect(cluster.Way{Client: 1})
	var said []string
	pass := func(to cluster.Watcher, data string) {
		to.Leave(to.Enter([]byte(data)))
		said = append(said, fmt.Sprintf("%q after %d messages", data, len(seen)))
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

// TestObserverLoss: a message is lost if the chunk with its last byte is, or still waits at the end.
func TestObserverLoss(t *testing.T) {
	var lost []string
	o := &wire.Observer{
		Decoder: func(cluster.Way) wire.Decoder { return redis.New(redis.NewScripts(nil)) },
		See: func(_ cluster.Way, _ int, m wire.Message) func() {
			if m.Name == "GET" {
				return nil
			}
			return func() { lost = append(lost, m.String()) }
		},
	}
	up, _ := o.Connect(cluster.Way{Client: 1})
	first, second, third := up.Enter([]byte("SET a 1\r\nGET a\r\nSET b")), up.Enter([]byte(" 2\r\nSET c 3\r\n")), up.Enter([]byte("SET d 4\r\n"))
	up.Enter([]byte("SET e 5\r\nSET f"))
	up.Leave(third)
	up.Lose(second)
	up.Leave(first)
	if d := cmp.Diff([]string{"SET b 2", "SET c 3"}, lost); d != "" {
		t.Errorf("lost (-want +got):\n%s", d)
	}
	up.End()
	up.End()
	if d := cmp.Diff([]string{"SET b 2", "SET c 3", "SET e 5"}, lost); d != "" {
		t.Errorf("lost at the end (-want +got):\n%s", d)
	}
}

// A notebook is a tap that records what happens to chunks, under numbers that begin after first.
type notebook struct {
	first int
	what  []string
}

func (n *notebook) Connect(cluster.Way) (requests, replies cluster.Watcher) { return n, nil }

func (n *notebook) Enter(data []byte) int {
	n.first++
	n.what = append(n.what, fmt.Sprintf("%s is %d", data, n.first))
	return n.first
}
func (n *notebook) Leave(chunk int) { n.what = append(n.what, fmt.Sprintf("%d left", chunk)) }
func (n *notebook) Lose(chunk int)  { n.what = append(n.what, fmt.Sprintf("%d is lost", chunk)) }
func (n *notebook) End()            { n.what = append(n.what, "end") }

// TestBoth: each of two taps gets all that happens, under its own numbers.
func TestBoth(t *testing.T) {
	one, two := &notebook{}, &notebook{first: 7}
	requests, replies := wire.Both(one, two).Connect(cluster.Way{})
	if replies != nil {
		t.Error("a direction that no tap watches is watched")
	}
	a, b := requests.Enter([]byte("a")), requests.Enter([]byte("b"))
	requests.Lose(b)
	requests.Leave(a)
	requests.End()
	if d := cmp.Diff([]string{"a is 1", "b is 2", "2 is lost", "1 left", "end"}, one.what); d != "" {
		t.Errorf("the first (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"a is 8", "b is 9", "9 is lost", "8 left", "end"}, two.what); d != "" {
		t.Errorf("the second (-want +got):\n%s", d)
	}
	if wire.Both(nil, nil) != nil || wire.Both(nil, one) != cluster.Tap(one) || wire.Both(one, nil) != cluster.Tap(one) {
		t.Error("a tap alone is not passed on")
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
