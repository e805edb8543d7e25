// Package wiretest tests decoders: with the recorded traffic of a real server and its client, and
// with arbitrary bytes.
package wiretest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
)

var update = flag.Bool("update", false, "write the golden files")

// real returns the transcript of a family.
func real() string { return filepath.Join("testdata", "real.txt") }

// A Chunk is data of one direction of a connection.
type Chunk struct {
	Conn  int
	Reply bool
	Data  []byte
}

// Read parses a transcript: lines with the number of a connection, > for a request or < for a
// reply, and the data as a Go string.
func Read(t testing.TB, path string) (chunks []Chunk) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.SplitN(lines.Text(), " ", 3)
		conn, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) != 3 {
			t.Fatalf("%s: %q", path, lines.Text())
		}
		data, err := strconv.Unquote(fields[2])
		if err != nil {
			t.Fatalf("%s: %q: %v", path, lines.Text(), err)
		}
		chunks = append(chunks, Chunk{conn, fields[1] == "<", []byte(data)})
	}
	if err := lines.Err(); err != nil || len(chunks) == 0 {
		t.Fatalf("%s: %d chunks, %v", path, len(chunks), err)
	}
	return chunks
}

// Text returns the messages that decoders return for chunks, one a line.
func Text(chunks []Chunk, decoder func() wire.Decoder) string {
	conns := map[int]wire.Decoder{}
	var out strings.Builder
	for _, c := range chunks {
		if conns[c.Conn] == nil {
			conns[c.Conn] = decoder()
		}
		for _, m := range conns[c.Conn].Decode(c.Reply, c.Data) {
			arrow := ">"
			if m.Reply {
				arrow = "<"
			}
			of := ""
			if m.Of != "" {
				of = "  to " + m.Of
			}
			fmt.Fprintf(&out, "%d %s %s%s\n", c.Conn, arrow, m, of)
		}
	}
	return out.String()
}

// Golden compares the messages of testdata/real.txt with testdata/real.golden. All data must be
// decoded, single bytes must give the same messages, and the sizes must add up.
func Golden(t *testing.T, decoder func() wire.Decoder) {
	t.Helper()
	chunks := Read(t, real())
	got := Text(chunks, decoder)
	golden := filepath.Join("testdata", "real.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(got, Text(single(chunks), decoder)); d != "" {
		t.Errorf("byte by byte (-whole +single):\n%s", d)
	}
	whole(t, chunks, decoder)
}

// single returns the same bytes, each in a chunk of its own.
func single(chunks []Chunk) (out []Chunk) {
	for _, c := range chunks {
		for _, b := range c.Data {
			out = append(out, Chunk{c.Conn, c.Reply, []byte{b}})
		}
	}
	return out
}

// whole fails unless every byte is part of a decoded message.
func whole(t *testing.T, chunks []Chunk, decoder func() wire.Decoder) {
	t.Helper()
	conns, size, decoded := map[int]wire.Decoder{}, 0, 0
	for _, c := range chunks {
		if conns[c.Conn] == nil {
			conns[c.Conn] = decoder()
		}
		size += len(c.Data)
		for _, m := range conns[c.Conn].Decode(c.Reply, c.Data) {
			decoded += m.Size
			if m.Raw {
				t.Errorf("not decoded: %s", m)
			}
		}
	}
	if size != decoded {
		t.Errorf("%d bytes of %d were decoded", decoded, size)
	}
}

// Fuzz fails if a decoder loses or adds bytes, or if a message takes more than a line. It starts
// with testdata/real.txt.
func Fuzz(f *testing.F, decoder func() wire.Decoder) {
	for _, s := range Read(f, real()) {
		f.Add(s.Data, []byte("reply"), uint16(3))
	}
	f.Fuzz(func(t *testing.T, request, reply []byte, cut uint16) {
		d := decoder()
		for _, way := range []struct {
			reply bool
			data  []byte
		}{{false, request}, {true, reply}} {
			n, size := min(int(cut), len(way.data)), 0
			for _, part := range [][]byte{way.data[:n], way.data[n:]} {
				before := bytes.Clone(part)
				for _, m := range d.Decode(way.reply, part) {
					size += m.Size
					if m.Size <= 0 || m.Reply != way.reply || strings.ContainsAny(m.String()+m.Of, "\n\r") {
						t.Fatalf("%+v", m)
					}
				}
				if !bytes.Equal(before, part) {
					t.Fatal("the data was changed")
				}
			}
			if size > len(way.data) {
				t.Fatalf("%d bytes of %d", size, len(way.data))
			}
		}
		d.Gap()
	})
}
