package tape_test

import (
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/wire/blank"
	"locktorture/wire/tape"
)

const command = "*6\r\n$3\r\nSET\r\n$12\r\nlock:counter\r\n$29\r\np0:NHBVOLOIIT4FLWSAG32V5VN2YJ\r\n$2\r\nNX\r\n$2\r\nPX\r\n$4\r\n2000\r\n"

func newTape(b *testing.B) *tape.Tape {
	start := time.Now()
	tp, err := tape.New(tape.Config{
		Path: filepath.Join(b.TempDir(), "wire.bin"), Links: []tape.Link{{Client: 1, To: "redis-1", Protocol: "redis"}}, Limit: 64 << 20,
		Now: func() int64 { return int64(time.Since(start)) }, Blank: func(p string) tape.Blanker { return blank.For(p) },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { tp.Close() })
	return tp
}

// BenchmarkRecord is what one chunk costs: stamp, blank, record, and note that it went on.
func BenchmarkRecord(b *testing.B) {
	up, _ := newTape(b).On(0).Connect(cluster.Way{})
	data := []byte(command)
	b.ReportAllocs()
	for b.Loop() {
		up.Leave(up.Enter(data))
	}
}

// BenchmarkWait is what a message waits for: stamps when it comes and when it goes on. What is
// written afterwards does not count.
func BenchmarkWait(b *testing.B) {
	const burst = 200
	up, _ := newTape(b).On(0).Connect(cluster.Way{})
	data, took := []byte(command), time.Duration(0)
	for b.Loop() {
		time.Sleep(time.Millisecond)
		start := time.Now()
		for range burst {
			up.Leave(up.Enter(data))
		}
		took += time.Since(start)
	}
	b.ReportMetric(float64(took)/float64(b.N*burst), "ns/chunk")
}

// BenchmarkLink is a round trip through a link with and without a tape.
func BenchmarkLink(b *testing.B) {
	for name, taped := range map[string]bool{"wire=off": false, "wire=on": true} {
		b.Run(name, func(b *testing.B) {
			l, err := cluster.NewLink(cluster.Plain, "127.0.0.1:0", echo(b), 1)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(l.Close)
			if taped {
				l.Tap(newTape(b).On(0))
			}
			c, err := net.Dial("tcp", l.Addr())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { c.Close() })
			back := make([]byte, len(command))
			for b.Loop() {
				if _, err := io.WriteString(c, command); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(c, back); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// echo returns a server that says what it is told.
func echo(b *testing.B) string {
	s, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	go func() {
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	return s.Addr().String()
}
