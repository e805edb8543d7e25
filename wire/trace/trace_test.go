package trace_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
	"locktorture/wire"
	"locktorture/wire/blank"
	"locktorture/wire/redis"
	"locktorture/wire/tape"
	"locktorture/wire/trace"
)

var update = flag.Bool("update", false, "write the golden files")

const ms = int64(time.Millisecond)

// decoder knows the protocol of these tests.
func decoder(protocol string) wire.Decoder {
	if protocol != "redis" {
		return nil
	}
	return redis.New(redis.NewScripts(nil))
}

// sample records two clients of two servers, and a link between those.
func sample(t *testing.T) *tape.Reader {
	t.Helper()
	now := int64(0)
	path := filepath.Join(t.TempDir(), "wire.bin")
	tp, err := tape.New(tape.Config{Path: path, Now: func() int64 { return now }, Blank: func(p string) tape.Blanker { return blank.For(p) }, Links: []tape.Link{
		{Client: 1, To: "redis-1", Protocol: "redis"}, {Client: 2, To: "redis-2", Protocol: "redis"}, {From: "redis-1", To: "redis-2"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tp.Process(1, 1)
	tp.Process(2, 2)
	now = 1 * ms
	up1, down1 := tp.On(0).Connect(cluster.Way{})
	up1.Leave(up1.Enter([]byte("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n*3\r\n$3\r\nSET\r\n$4\r\nlock\r\n$1\r\na\r\n")))
	now += ms / 10
	down1.Leave(down1.Enter([]byte("+OK\r\n+OK\r\n")))
	now = 5 * ms
	up2, down2 := tp.On(1).Connect(cluster.Way{})
	held := up2.Enter([]byte("*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n"))
	now = 9 * ms
	peer, _ := tp.On(2).Connect(cluster.Way{})
	peer.Leave(peer.Enter([]byte{0, 1, 2}))
	now = 463 * ms
	up2.Leave(held)
	tp.Process(2, 7)
	now += ms
	late := down2.Enter([]byte("$1\r\na\r\n"))
	now += ms
	down2.Leave(late)
	down2.Lose(down2.Enter([]byte("\xff\xfe")))
	now += 3 * ms
	up1.Enter([]byte("*2\r\n$3\r\nDEL\r\n$4\r\nlock\r\n"))
	now += 3 * ms
	up1.End()
	down1.End()
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	r, file, err := tape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return r
}

// TestTrace prints the sample in both forms, and parts of it.
func TestTrace(t *testing.T) {
	for name, f := range map[string]trace.Filter{
		"all": {Peers: true}, "client": {Client: 1}, "node": {Node: "redis-2", Peers: true}, "time": {From: 400 * time.Millisecond, To: 466 * time.Millisecond},
		"lock": {Lock: "lock"}, "no-lock": {Lock: "loc"},
	} {
		var text, lines strings.Builder
		for r, err := range (trace.Source{Tape: sample(t), Decoder: decoder}).Rows(f) {
			if err != nil {
				t.Fatal(err)
			}
			if err := trace.Text(&text, r); err != nil {
				t.Fatal(err)
			}
			if err := trace.JSON(&lines, r); err != nil {
				t.Fatal(err)
			}
		}
		golden(t, name+".txt", text.String())
		if name == "all" {
			golden(t, name+".jsonl", lines.String())
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}
