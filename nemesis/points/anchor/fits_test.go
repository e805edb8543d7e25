package anchor_test

import (
	"bytes"
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/embedded"
	"locktorture/harness"
	"locktorture/nemesis"
	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
)

// What these servers and clients cannot have is refused with the decision and the reason.
func TestRefused(t *testing.T) {
	one, err := cluster.Start(t.Context(), "redis", embedded.Provisioner{}, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	virtual := start(t, "redis-replicas", 2)
	for _, c := range []struct {
		on         *cluster.Cluster
		line, want string
	}{
		{one, "at c3 gate write #1: kill", "there is no client 3"},
		{one, "at c1 send SET redis-2 #1: drop", "there is no server 2"},
		{one, "at c1 gate write #1: stop nodes=1 for=1s", "stopped"},
		{one, "at c1 gate write #1: restart nodes=leader for=1s", "none of these servers leads the others"},
		{virtual, "at c1 send SET redis-1 #1: drop", "through one address"},
		{virtual, "at c1 gate write #1: hold nodes=1 for=1s", "through one address"},
		{cluster.Bare("none", nil, func() error { return nil }), "at c1 gate write #1: hold nodes=1 for=1s", "there is no server 1"},
	} {
		s, err := schedule.Parse(c.line)
		if err != nil {
			t.Fatal(err)
		}
		_, err = anchor.New(s, c.on, harness.WorldOf(c.on, 2, ttl), nemesis.All(), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `fault 1, "`+c.line+`"`) {
			t.Errorf("%s on %s: %v, want %q", c.line, c.on.Topology, err, c.want)
		}
	}
}

// A message of a cluster is a point on whichever server it is.
func TestCluster(t *testing.T) {
	c := start(t, "etcd-3", 1)
	s, err := schedule.Parse("at c1 send x etcd #1: drop\nat c1 reply x etcd #2: hold for=1ms\nat c1 gate write #1: stop nodes=leader for=1ms")
	if err != nil {
		t.Fatal(err)
	}
	named := anchor.Names{schedule.Etcd: func() func(bool, []byte) []string { return func(bool, []byte) []string { return []string{"x"} } }}
	if d, err := anchor.New(s, c, harness.WorldOf(c, 1, ttl), nemesis.All(), named); err != nil {
		t.Error(err)
	} else if requests, _ := d.Connect(cluster.Way{Client: 1, To: 2}); string(requests.Pass([]byte("data"))[0].Data) != "data" {
		t.Error("what has no fault does not pass")
	}
	if _, err := anchor.New(s, c, harness.WorldOf(c, 1, ttl), nemesis.All(), nil); err == nil || !strings.Contains(err.Error(), "are not those of etcd") {
		t.Errorf("messages without names: %v", err)
	}
}

// Whatever comes in whatever parts goes on whole and in order, messages of Redis or not.
func TestPieces(t *testing.T) {
	c, err := cluster.Start(t.Context(), "redis", embedded.Provisioner{}, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d, err := anchor.New(nil, c, harness.WorldOf(c, 1, ttl), nemesis.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if requests, _ := d.Connect(cluster.Way{To: 0}); requests != nil {
		t.Error("a connection of nobody is watched")
	}
	const commands = "*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n"
	for _, text := range []string{commands, commands + "\x16\x03\x01 and what comes\r\n\r\n after it"} {
		for size := 1; size <= len(text); size++ {
			requests, _ := d.Connect(cluster.Way{Client: 1, To: 0})
			var out bytes.Buffer
			for at := 0; at < len(text); at += size {
				for _, p := range requests.Pass([]byte(text[at:min(at+size, len(text))])) {
					if p.Lost || p.Ends || p.Free != nil {
						t.Fatalf("%+v", p)
					}
					out.Write(p.Data)
				}
			}
			if size == 1 && strings.HasSuffix(text, "PING\r\n") && out.String() != text || !strings.HasPrefix(text, out.String()) || out.Len() < len(commands) {
				t.Errorf("in parts of %d: %q, want %q", size, out.String(), text)
			}
		}
	}
}
