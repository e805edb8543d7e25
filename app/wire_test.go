package app

import (
	"regexp"
	"testing"

	"locktorture/cluster"
	"locktorture/timeline"
	"locktorture/wire"
)

// TestConnectionsForgotten: of a thousand connections nothing is kept but the effect whose outcome
// is not known.
func TestConnectionsForgotten(t *testing.T) {
	h := newTold()
	f := &File{
		Servers: []Server{{Name: "redis", Topology: "redis"}},
		Jobs:    []Job{{Job: timeline.Job{Name: "payout"}, Wire: &WireEffect{Server: "redis", Request: regexp.MustCompile(`SET paid:(?P<key>\d+)`)}}},
	}
	s := &stage{act: &Act{File: f, clusters: []*cluster.Cluster{{Nodes: make([]cluster.Node, 1)}}}, file: f, now: h.now, book: newBook(h.note)}
	s.replicas = []*replica{{stage: s, number: 1}}
	e := &effects{stage: s, conns: map[int]*spoken{}}
	for conn := range 1000 {
		e.said(s.replicas[0], "redis", "redis", conn, wire.Message{Name: "GET", Text: "x"})
		e.said(s.replicas[0], "redis", "redis", conn, wire.Message{Name: "SET", Text: "paid:1"})
		if conn != 7 {
			e.said(s.replicas[0], "redis", "redis", conn, wire.Message{Reply: true, Name: "OK", Of: "SET paid:1"})
		}
	}
	if len(e.conns) != 1 || e.conns[7] == nil {
		t.Errorf("%d connections are kept", len(e.conns))
	}
	if len(h.ops) != 1999 {
		t.Errorf("%d entries of 1000 tries and 999 effects", len(h.ops))
	}
}

// TestRollback: the statement makes what its transaction has prepared unclear, and the word in data
// or in a name does not.
func TestRollback(t *testing.T) {
	for of, want := range map[string]outcome{
		"query ROLLBACK": unclear, "query /* a */ rollback to b": unclear, "query SELECT 1; ROLLBACK": unclear, "execute ROLLBACK": unclear,
		"query INSERT INTO t VALUES ('rollback')": done, "query INSERT INTO rollbacks VALUES (1)": done,
	} {
		if a := mariadbAnswer(wire.Message{Of: of, Name: "OK", Reply: true}); a.ends != want {
			t.Errorf("%s: outcome %d, want %d", of, a.ends, want)
		}
	}
}
