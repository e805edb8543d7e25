package tape_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/cluster"
	"locktorture/wire/tape"
)

// A clock is one that the test moves.
type clock struct{ now int64 }

func record(t *testing.T, limit int64, links int) (*tape.Tape, *clock, string) {
	t.Helper()
	c, path := &clock{}, filepath.Join(t.TempDir(), "wire.bin")
	cfg := tape.Config{Path: path, Limit: limit, Now: func() int64 { return c.now }}
	for i := range links {
		cfg.Links = append(cfg.Links, tape.Link{Client: i + 1, To: "redis-1", Protocol: "redis"})
	}
	tp, err := tape.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tp, c, path
}

// read reads all events as lines.
func read(t *testing.T, path string) (lines []string) {
	t.Helper()
	r, file, err := tape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for e, err := range r.Events(func(int) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line(e))
	}
	return lines
}

func line(e tape.Event) string {
	kinds := map[tape.Kind]string{tape.Connect: "connect", tape.Enter: "enter", tape.Leave: "leave", tape.Lose: "lose", tape.End: "end", tape.Gap: "gap"}
	return fmt.Sprintf("%d l%d c%d p%d %v %s %d %.8s", e.Time, e.Link, e.Conn, e.Process, e.Reply, kinds[e.Kind], e.Chunk, e.Data)
}

// TestTape: what is told is read, link by link and in the order of time.
func TestTape(t *testing.T) {
	tp, c, path := record(t, 1<<20, 2)
	tp.Process(1, 1)
	up, down := tp.On(0).Connect(cluster.Way{})
	c.now = 10
	up.Enter([]byte("ask"))
	c.now = 20
	other, _ := tp.On(1).Connect(cluster.Way{})
	other.Enter([]byte("lost"))
	c.now = 30
	up.Leave(1)
	down.Enter([]byte("answer"))
	tp.Process(1, 6)
	tp.Process(1, -1) // of a fault that strikes the client
	c.now = 40
	other.Lose(1)
	up.Enter([]byte("more"))
	up.End()
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	up.Enter([]byte("after the end"))
	want := []string{
		"0 l0 c1 p1 false connect 0 ", "10 l0 c1 p1 false enter 1 ask", "20 l1 c2 p0 false connect 0 ", "20 l1 c2 p0 false enter 1 lost",
		"30 l0 c1 p1 false leave 1 ", "30 l0 c1 p1 true enter 1 answer", "40 l0 c1 p6 false enter 2 more", "40 l0 c1 p6 false end 0 ",
		"40 l1 c2 p0 false lose 1 ",
	}
	if d := cmp.Diff(want, read(t, path)); d != "" {
		t.Errorf("(-want +read):\n%s", d)
	}
}

// TestLargeChunk: a chunk that is larger than a block comes back whole.
func TestLargeChunk(t *testing.T) {
	tp, _, path := record(t, 1<<20, 1)
	up, _ := tp.On(0).Connect(cluster.Way{})
	data := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	chunk := up.Enter(data)
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	r, file, err := tape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var got []byte
	for e := range r.Events(func(int) bool { return true }) {
		if e.Kind == tape.Enter && e.Chunk == chunk {
			got = append(got, e.Data...)
		}
	}
	if !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back, want %d", len(got), len(data))
	}
}

// TestBounded: the file never has more than its limit, the oldest goes first, and a quiet link
// keeps its share beside a loud one.
func TestBounded(t *testing.T) {
	const limit = 1 << 20
	tp, c, path := record(t, limit, 2)
	loud, _ := tp.On(0).Connect(cluster.Way{})
	quiet, _ := tp.On(1).Connect(cluster.Way{})
	data := make([]byte, 1000)
	for i := range 5000 {
		c.now = int64(i)
		loud.Enter(data)
		if i%50 == 0 {
			quiet.Enter([]byte("quiet"))
		}
	}
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > limit {
		t.Errorf("%d bytes (%v), the limit is %d", info.Size(), err, limit)
	}
	counts, first := map[string]int{}, ""
	for _, l := range read(t, path) {
		fields := strings.Fields(l)
		counts[fields[1]+" "+fields[5]]++
		if fields[1] == "l0" && fields[5] == "enter" && first == "" {
			first = fields[0]
		}
	}
	if counts["l1 enter"] != 100 || counts["l1 gap"] != 0 {
		t.Errorf("the quiet link has %d of 100 entries, and %d gaps", counts["l1 enter"], counts["l1 gap"])
	}
	if n := counts["l0 enter"]; n < 700 || n > 1000 || counts["l0 gap"] != 1 || first != fmt.Sprint(5000-n) {
		t.Errorf("the loud link has %d entries from %s on, and %d gaps", n, first, counts["l0 gap"])
	}
}

// TestKeep: what lies near a violation stays, what is older than the rest goes.
func TestKeep(t *testing.T) {
	tp, c, path := record(t, 1<<20, 1)
	up, _ := tp.On(0).Connect(cluster.Way{})
	data := make([]byte, 1000)
	for i := range 5000 {
		c.now = int64(i)
		up.Enter(data)
		if i == 1010 {
			tp.Keep(990, 1030)
		}
	}
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, l := range read(t, path) {
		at, _, _ := strings.Cut(l, " ")
		seen[at] = true
	}
	for i := 990; i <= 1030; i++ {
		if !seen[fmt.Sprint(i)] {
			t.Errorf("%d is gone", i)
		}
	}
	if seen["900"] || seen["2000"] || !seen["4999"] {
		t.Errorf("900 is there: %v, 2000: %v, 4999: %v", seen["900"], seen["2000"], seen["4999"])
	}
}

// TestKeepIsBounded: violations without end leave half of the tape to what comes.
func TestKeepIsBounded(t *testing.T) {
	tp, c, path := record(t, 1<<20, 1)
	up, _ := tp.On(0).Connect(cluster.Way{})
	data := make([]byte, 1000)
	for i := range 5000 {
		c.now = int64(i)
		tp.Keep(c.now-10, c.now+10)
		up.Enter(data)
	}
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	lines := read(t, path)
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "4999 ") {
		t.Errorf("the last is %q", last)
	}
}

// blanker writes dots for everything.
type blanker struct{}

func (blanker) Blank(_ bool, data []byte) []byte { return bytes.Repeat([]byte("."), len(data)) }

// TestBlank: what is written is what the blanker lets through.
func TestBlank(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wire.bin")
	tp, err := tape.New(tape.Config{
		Path: path, Links: []tape.Link{{Protocol: "redis"}}, Now: func() int64 { return 0 },
		Blank: func(string) tape.Blanker { return blanker{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	up, _ := tp.On(0).Connect(cluster.Way{})
	up.Enter([]byte("secret"))
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("secret")) || !bytes.Contains(b, []byte("......")) {
		t.Errorf("the file has %q (%v)", b[64<<10:], err)
	}
}
