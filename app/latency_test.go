package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// A node is a server that is only named.
type node string

func (n node) Name() string { return string(n) }

// TestLatencyStrikesOne: one replica is slow, now this and now that.
func TestLatencyStrikesOne(t *testing.T) {
	w := slowWorld(t, 3)
	d := nemesis.NewDraw(rand.New(rand.NewPCG(1, 0)))
	slow := make([]bool, 3)
	for range 30 {
		s := (latency{}).Plan(d, w)
		if len(s.Clients) != 1 {
			t.Fatalf("the clients %v are slow", s.Clients)
		}
		slow[s.Clients[0]-1] = true
	}
	if slices.Contains(slow, false) {
		t.Errorf("replicas were slow: %v", slow)
	}
}

// TestLatencyStrikesWhoSpeaks: a replica that says nothing is not struck; who speaks is struck
// instead.
func TestLatencyStrikesWhoSpeaks(t *testing.T) {
	w := slowWorld(t, 2)
	s := nemesis.Step{Clients: []int{1}, Nodes: []int{0}, Delay: 20 * time.Millisecond}
	if _, _, err := (latency{}).Inject(t.Context(), w, s); !errors.Is(err, nemesis.ErrNotStruck) {
		t.Fatalf("a silent replica: %v", err)
	}
	if _, _, _, err := (latency{}).Instead(t.Context(), w, s, []int{1, 2}); !errors.Is(err, nemesis.ErrNotStruck) {
		t.Fatalf("two silent replicas: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	speak(ctx, t, w.Link(2, 0).Addr())
	struck, _, heal, err := (latency{}).Instead(t.Context(), w, s, []int{1, 2})
	if err != nil || !slices.Equal(struck.Clients, []int{2}) {
		t.Fatalf("struck %v, %v", struck.Clients, err)
	}
	if err := heal(t.Context()); err != nil {
		t.Error(err)
	}
}

// slowWorld has a server that answers every line, and a link to it for each replica.
func slowWorld(t *testing.T, replicas int) *nemesis.World {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for in := bufio.NewReader(c); ; {
					if _, err := in.ReadString('\n'); err != nil {
						return
					}
					_, _ = io.WriteString(c, "so?\n")
				}
			}()
		}
	}()
	w := &nemesis.World{TTL: 300 * time.Millisecond, Quorum: 1, Clients: make([]nemesis.Client, replicas), Nodes: []nemesis.Node{node("server")}}
	var links []*cluster.Link
	for range replicas {
		link, err := cluster.NewLink(cluster.Plain, "127.0.0.1:0", l.Addr().String(), 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(link.Close)
		links = append(links, link)
	}
	w.Link = func(client, _ int) nemesis.Link { return links[client-1] }
	return w
}

// speak says something every few milliseconds until ctx is done.
func speak(ctx context.Context, t *testing.T, addr string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer c.Close()
		for pause(ctx, 5*time.Millisecond) {
			_, _ = io.WriteString(c, "hello\n")
		}
	}()
}
