package app

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/timeline"
	"locktorture/wire"
)

// TestConnectionsForgotten: of a thousand connections nothing is kept but the effect whose outcome
// is not known.
func TestConnectionsForgotten(t *testing.T) {
	e, h := watching("redis", `SET paid:(?P<key>\d+)`)
	s := e.stage
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
		"query XA ROLLBACK 'a'": unclear, "resetConnection": unclear, "login": unclear,
		"query INSERT INTO t VALUES ('rollback')": done, "query INSERT INTO rollbacks VALUES (1)": done,
	} {
		if a := mariadbAnswer(wire.Message{Of: of, Name: "OK", Reply: true}); a.ends != want {
			t.Errorf("%s: outcome %d, want %d", of, a.ends, want)
		}
	}
}

// TestLostRequest: what was asked in a request that is lost on its way is recorded as lost, in the run of
// its try, even if its replica has ended since; a request that was answered first is not.
func TestLostRequest(t *testing.T) {
	e, h := watching("redis", `SET paid:(?P<key>\d+)`)
	s := e.stage
	say := func(m wire.Message) func() { return e.said(s.replicas[0], "redis", "redis", 1, m) }
	s.book.seen(sight{client: 1, job: "payout", key: "1", mode: history.JobBegin, way: byEvent}, h.now())
	if say(wire.Message{Name: "GET", Text: "x"}) != nil {
		t.Error("the loss of a request without an effect is waited for")
	}
	answered := say(wire.Message{Name: "SET", Text: "paid:1"})
	say(wire.Message{Reply: true, Name: "OK", Of: "SET paid:1"})
	lost := say(wire.Message{Name: "SET", Text: "paid:1"})
	s.book.died(1, 0, h.now(), nil)
	answered()
	lost()
	lost()
	late := say(wire.Message{Name: "SET", Text: "paid:1"})
	h.ops = h.ops[:len(h.ops)-1]
	e.end()
	late()
	if say(wire.Message{Name: "SET", Text: "paid:1"}) != nil {
		t.Error("a request is looked at after the end")
	}
	if got := h.modes(); got != "begin 1, try 1, effect 1, try 1, lost 1" {
		t.Error(got)
	}
	if began, _ := h.ops[len(h.ops)-1].Began(); began > h.ops[3].Time || began <= h.ops[2].Time {
		t.Errorf("the loss is of a try at %d, not of the second at %d", began, h.ops[3].Time)
	}
}

// watching is what sees the effects of the job payout on links of a replica to a server, and its history.
func watching(server, pattern string) (*effects, *told) {
	h := newTold()
	f := &File{
		Servers: []Server{{Name: server, Topology: server}},
		Jobs:    []Job{{Job: timeline.Job{Name: "payout"}, Wire: &WireEffect{Server: server, Request: regexp.MustCompile(pattern)}}},
	}
	s := &stage{act: &Act{File: f, clusters: []*cluster.Cluster{{Nodes: make([]cluster.Node, 1)}}}, file: f, now: h.now, book: newBook(h.note)}
	s.replicas = []*replica{{stage: s, number: 1}}
	return &effects{stage: s, conns: map[int]*spoken{}}, h
}

// watched returns what tells watching of the messages of a connection, and its history.
func watched(server, pattern string) (say func(conn int, list ...wire.Message), h *told) {
	e, h := watching(server, pattern)
	return func(conn int, list ...wire.Message) {
		for _, m := range list {
			e.said(e.stage.replicas[0], server, server, conn, m)
		}
	}, h
}

// effectsOf returns the effects in a history, as "17" or "17 refused".
func (h *told) effectsOf() string {
	var list []string
	for _, op := range h.ops {
		if op.Mode == history.JobEffect {
			if list = append(list, op.Key); op.Refused != "" {
				list[len(list)-1] += " refused"
			}
		}
	}
	return strings.Join(list, ", ")
}

// ask returns a request.
func ask(name, text string) wire.Message { return wire.Message{Name: name, Text: text} }

// reply returns an answer to a request.
func reply(of, name, text string) wire.Message {
	return wire.Message{Reply: true, Name: name, Text: text, Of: of}
}

const insert = "INSERT INTO payouts VALUES (17)"

// TestFailedCommit: what a transaction has prepared is no effect if its end fails.
func TestFailedCommit(t *testing.T) {
	ready := func(of, text string) wire.Message { return reply(of, "ReadyForQuery", text) }
	inserted := []wire.Message{
		ask("Query", insert), reply(insert, "CommandComplete", `"INSERT 0 1"`), ready(insert, "in a transaction"), ask("Query", "COMMIT"),
	}
	changed := wire.Message{Reply: true, Name: "OK", Text: "1 rows changed", Of: "query " + insert, Open: true}
	for name, c := range map[string]struct {
		server string
		said   []wire.Message
		want   string
	}{
		"committed":        {"postgres", append(inserted[:4:4], reply("COMMIT", "CommandComplete", "COMMIT"), ready("COMMIT", "idle")), "17"},
		"not serializable": {"postgres", append(inserted[:4:4], reply("COMMIT", "ErrorResponse", "ERROR 40001"), ready("COMMIT", "idle")), ""},
		"two-phase":        {"postgres", append(inserted[:4:4], reply("COMMIT", "CommandComplete", `"PREPARE TRANSACTION"`), ready("COMMIT", "idle")), ""},
		"the next statement of its request failed": {"postgres", []wire.Message{
			ask("Query", insert), reply(insert, "CommandComplete", `"INSERT 0 1"`), reply(insert, "ErrorResponse", "ERROR 22012"), ready(insert, "idle"),
		}, ""},
		"refused": {"postgres", []wire.Message{ask("Query", insert), reply(insert, "ErrorResponse", "ERROR 23505"), ready(insert, "idle")}, "17 refused"},
		"what came before the end was not decoded": {"postgres", append(inserted[:4:4], wire.RawOf(true, []byte("x")), ready("", "idle")), ""},
		"mariadb committed": {"mariadb", []wire.Message{
			ask("query", insert), changed, ask("query", "COMMIT"), reply("query COMMIT", "OK", "0 rows changed"),
		}, "17"},
		"mariadb, the commit failed": {"mariadb", []wire.Message{
			ask("query", insert), changed, ask("query", "COMMIT"), reply("query COMMIT", "error", "1047 a"), ask("query", "SELECT 1"), reply("query SELECT 1", "rows", "1: [1]"),
		}, ""},
		"mariadb, an answer was not decoded": {"mariadb", []wire.Message{
			ask("query", insert), changed, ask("query", "COMMIT"), wire.RawOf(true, []byte("x")), reply("query SELECT 1", "OK", "0 rows changed"),
		}, ""},
		"mariadb, one of several results": {"mariadb", []wire.Message{
			ask("query", insert), {Reply: true, Name: "OK", Text: "1 rows changed", Of: "query " + insert, More: true}, reply("query "+insert, "OK", "0 rows changed"),
		}, ""},
		"mariadb, the connection was reset": {"mariadb", []wire.Message{
			ask("query", insert), changed, ask("resetConnection", ""), reply("resetConnection", "OK", "0 rows changed"),
		}, ""},
		"mariadb, a deadlock after some rows": {"mariadb", []wire.Message{
			ask("query", insert), changed, ask("query", "SELECT a"), reply("query SELECT a", "rows", " [1] error 1213 a"), ask("query", "SELECT 1"), reply("query SELECT 1", "rows", "1: [1]"),
		}, ""},
	} {
		say, h := watched(c.server, `INSERT INTO payouts VALUES \((?P<key>\d+)`)
		say(1, c.said...)
		if got := h.effectsOf(); got != c.want {
			t.Errorf("%s: effects %q, want %q", name, got, c.want)
		}
	}
}

// TestSeveralStatements: if a request has several statements, any answer may be about the effect, so
// the outcome is unknown. A BEGIN in the same request does not count as another statement.
func TestSeveralStatements(t *testing.T) {
	tags := func(list ...string) (said []wire.Message) {
		said = []wire.Message{ask("Bind", insert), ask("Execute", ""), ask("Sync", "")}
		for _, tag := range list {
			said = append(said, reply(insert, "CommandComplete", tag))
		}
		return append(said, reply(insert, "ReadyForQuery", "idle"))
	}
	for _, c := range []struct {
		said []wire.Message
		want string
	}{
		{tags(`"INSERT 0 1"`), "17"},
		{tags(`"INSERT 0 0"`), "17 refused"},
		{tags("BEGIN", `"INSERT 0 0"`), "17 refused"},
		{tags(`"INSERT 0 1"`, "COMMIT"), "17"},
		{tags(`"INSERT 0 1"`, `"INSERT 0 0"`), ""},
		{tags(`"INSERT 0 0"`, `"INSERT 0 1"`), ""},
		{append(tags(`"INSERT 0 1"`, `"INSERT 0 0"`), tags(`"INSERT 0 1"`)...), "17"},
	} {
		say, h := watched("postgres", `INSERT INTO payouts VALUES \((?P<key>\d+)`)
		say(1, c.said...)
		if got := h.effectsOf(); got != c.want {
			t.Errorf("%v: effects %q, want %q", c.said, got, c.want)
		}
	}
}

// TestPipelined: an effect began with its own request, and one in a transaction with the commit, whatever
// was sent after those before they were answered.
func TestPipelined(t *testing.T) {
	later := func() { time.Sleep(2 * time.Millisecond) }
	began := func(h *told) (list []int64) {
		for _, op := range h.ops {
			if at, ok := op.Began(); ok && op.Mode == history.JobEffect {
				list = append(list, at)
			}
		}
		return list
	}

	say, h := watched("redis", `SET paid:(?P<key>\d+)`)
	say(1, ask("SET", "paid:17"))
	first := h.now()
	later()
	say(2, ask("SET", "paid:17")) // again, on another connection
	say(1, reply("SET paid:17", "OK", ""))
	say(2, reply("SET paid:17", "nil", ""))
	if at := began(h); len(at) != 2 || at[0] > first || at[1] <= first {
		t.Errorf("the effects began at %v, the second after %d", at, first)
	}

	say, h = watched("postgres", `INSERT INTO payouts VALUES \((?P<key>\d+)`)
	say(1, ask("Query", insert), reply(insert, "CommandComplete", `"INSERT 0 1"`), reply(insert, "ReadyForQuery", "in a transaction"))
	later()
	before := h.now()
	say(1, ask("Query", "COMMIT"))
	after := h.now()
	later()
	say(1, ask("Query", "SELECT 1"), reply("COMMIT", "CommandComplete", "COMMIT"), reply("COMMIT", "ReadyForQuery", "idle"))
	if at := began(h); len(at) != 1 || at[0] < before || at[0] > after {
		t.Errorf("the effect began at %v, not between %d and %d", at, before, after)
	}
}

// TestRedisAnswers: a command that answers how much it changed has done nothing with 0, and one that answers
// what was there before has done something with nil.
func TestRedisAnswers(t *testing.T) {
	no := answer{says: done, no: true}
	for _, c := range []struct {
		of, name string
		want     answer
	}{
		{"SETNX paid:17 x", "0", no},
		{"SETNX paid:17 x", "1", answer{says: done}},
		{"SADD paid 17", "0", no},
		{"HSET paid 17 x", "0", answer{says: done}},
		{"SET paid:17 x NX", "nil", no},
		{"SET paid:17 x GET", "nil", answer{says: done}},
		{"SET paid:17 x NX GET", "nil", answer{says: unclear}},
		{"SET paid:17 x NX GET", "y", answer{says: unclear}},
		{"SET GET nx NX", "nil", no},
		{"GETSET paid:17 x", "nil", answer{says: done}},
		{"", "nil", no},
	} {
		if a := redisAnswer(reply(c.of, c.name, "")); a != c.want {
			t.Errorf("%s: %s: %+v, want %+v", c.of, c.name, a, c.want)
		}
	}
}

// TestVeiledAnswer: a body that could not be decoded may refuse the effect.
func TestVeiledAnswer(t *testing.T) {
	for status, want := range map[string]outcome{"200 OK": unclear, "409 Conflict": failed} {
		if a := httpAnswer(wire.Message{Reply: true, Name: status, Veiled: true}); a.says != want {
			t.Errorf("%s: outcome %d, want %d", status, a.says, want)
		}
	}
}
