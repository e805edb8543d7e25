package jepsen_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

const lockEDN = `{:type :invoke, :f :acquire, :value nil, :process 0, :time 10, :index 0}
{:type :info, :f :start, :value nil, :process :nemesis, :time 11, :index 1}
#jepsen.history.Op{:index 2, :time 20, :type :ok, :process 0, :f :acquire, :value 33}
{:type :invoke, :f :acquire, :process 1, :time 21, :value nil, :index 3} ; a comment
{:process 1, :type :fail, :f :acquire, :time 30, :value nil, :error [:taken "by \"0\"" {:a #{1 2}}], :index 4}
{:type :invoke, :f :release, :value {:token 33}, :process 0, :time 40, :index 5}
{:type :info, :f :release, :value nil, :process 0, :time 50, :error :timeout, :index 6}
`

var lockOps = []linear.Operation{
	{Process: 0, F: linear.Acquire, Status: linear.OK, Call: 0, Return: 2, Token: 33, Line: 1},
	{Process: 1, F: linear.Acquire, Status: linear.Refused, Call: 3, Return: 4, Line: 4},
	{Process: 0, F: linear.Release, Status: linear.Pending, Call: 5, Token: 33, Line: 6},
}

func read(t *testing.T, text string, o jepsen.Options) *jepsen.History {
	t.Helper()
	h, err := jepsen.Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// one returns the operations of a history of one object.
func one(t *testing.T, h *jepsen.History) []linear.Operation {
	t.Helper()
	if len(h.Objects) != 1 || h.Objects[0].Key != "" {
		t.Fatalf("%d objects: %+v", len(h.Objects), h.Objects)
	}
	return h.Objects[0].Operations
}

func TestReadEDN(t *testing.T) {
	h := read(t, lockEDN, jepsen.Options{})
	if d := cmp.Diff(lockOps, one(t, h)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if h.Truncated || h.Entries != 7 {
		t.Errorf("%+v", h)
	}
	if d := cmp.Diff([]jepsen.Span{{10, 20}, {21, 30}, {40, 50}}, h.Objects[0].Times); d != "" {
		t.Errorf("times: -want +got\n%s", d)
	}
}

func TestReadJSON(t *testing.T) {
	const text = `{"type":"invoke","f":"cas","value":[1,2],"process":0}
{"type":"invoke","f":"read","value":null,"process":1}
{"type":"ok","f":"read","value":[1,"a"],"process":1}
{"type":"fail","f":"cas","value":[1,2],"process":0}
{"type":"info","f":"start","value":2,"process":"nemesis"}
{"type":"invoke","f":"fetch-add","value":2,"process":2}
`
	h := read(t, text, jepsen.Options{FailedCAS: true})
	want := []linear.Operation{
		{Process: 1, F: linear.Read, Status: linear.OK, Call: 2, Return: 3, Value: `1,a`, Line: 2},
		{Process: 0, F: linear.CAS, Status: linear.Refused, Call: 1, Return: 4, Expect: "1", Value: "2", Line: 1},
		{Process: 2, F: linear.FetchAdd, Call: 6, Delta: 2, Line: 6},
	}
	if d := cmp.Diff(want, one(t, h)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A history is the same in every form in which it is found.
func TestForms(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(lockEDN), "\n")
	plain := strings.ReplaceAll(lockEDN, " ; a comment", "")
	var js strings.Builder
	js.WriteString("[")
	for i, line := range []string{
		`{"type":"invoke","f":"acquire","value":null,"process":0,"time":10,"index":0}`,
		`{"type":"info","f":"start","process":"nemesis","time":11,"index":1}`,
		`{"type":"ok","f":"acquire","value":33,"process":0,"time":20,"index":2}`,
		`{"type":"invoke","f":"acquire","process":1,"time":21,"index":3}`,
		`{"type":"fail","f":"acquire","process":1,"time":30,"error":["taken"],"index":4}`,
		`{"type":"invoke","f":"release","value":{"token":33},"process":0,"time":40,"index":5}`,
		`{"type":"info","f":"release","process":0,"time":50,"error":"timeout","index":6}`,
	} {
		js.WriteString(strings.Repeat(",", min(i, 1)) + line)
	}
	js.WriteString("]")
	backwards := strings.Join([]string{lines[6], lines[5], lines[4], lines[3], lines[2], lines[1], lines[0]}, "\n")
	for name, text := range map[string]string{
		"vector":                 "; a file\n[" + lockEDN + "]",
		"list":                   "(" + lockEDN + "\n)\n",
		"tagged vector":          "#jepsen.history.DenseHistory [" + lockEDN + "]",
		"one line":               "[" + strings.ReplaceAll(plain, "\n", " ") + "]",
		"maps over lines":        strings.ReplaceAll(plain, ", ", "\n  "),
		"CRLF":                   strings.ReplaceAll(lockEDN, "\n", "\r\n"),
		"CR":                     strings.ReplaceAll(lockEDN, "\n", "\r"),
		"byte order mark":        "\xef\xbb\xbf" + lockEDN,
		"no end of line":         strings.TrimSpace(lockEDN),
		"left out":               "#_ {:not :there} " + lockEDN + "#_[1 2]\n",
		"metadata":               "^{:a 1} " + lockEDN,
		"in the order of :index": backwards,
		"JSON array on one line": js.String(),
		"JSON array":             strings.ReplaceAll(js.String(), "},{", "},\r\n {"),
	} {
		t.Run(name, func(t *testing.T) {
			got := one(t, read(t, text, jepsen.Options{}))
			for i := range got {
				got[i].Line = lockOps[i].Line
			}
			if d := cmp.Diff(lockOps, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Operations come in the order of the file, whatever their times say.
func TestOrderWithoutIndex(t *testing.T) {
	h := read(t, `{:type :invoke, :f :acquire, :process 0, :time 20}
{:type :ok, :f :acquire, :process 0, :time 10}
{:type :invoke, :f :release, :process 0}
`, jepsen.Options{})
	want := []linear.Operation{
		{F: linear.Acquire, Status: linear.OK, Call: 1, Return: 2, Line: 1},
		{F: linear.Release, Call: 3, Line: 3},
	}
	if d := cmp.Diff(want, one(t, h)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if _, err := h.Objects[0].ByTime(); err == nil || err.Error() != "time goes backwards at entry 2" {
		t.Errorf("by time: %v", err)
	}
	h = read(t, lockEDN, jepsen.Options{})
	ops, err := h.Objects[0].ByTime()
	if err != nil || ops[0].Call != 10 || ops[0].Return != 20 || ops[2].Call != 40 {
		t.Errorf("by time: %v, %v", ops, err)
	}
}

// Any scalar is a process, and no two of them are one.
func TestProcesses(t *testing.T) {
	var b strings.Builder
	names := []string{`"w1"`, `"w2"`, "7", `"7"`, ":w1", "w1", "true", "1.5", `\a`, "-1", "99999999999999999999", "4N"}
	for _, p := range names {
		b.WriteString("{:type :invoke, :f :acquire, :process " + p + "}\n")
	}
	for _, p := range names {
		b.WriteString("{:type :ok, :f :acquire, :process " + p + "}\n")
	}
	h := read(t, b.String()+"{:type :info, :f :note, :process :control}\n", jepsen.Options{})
	seen := map[int]bool{}
	for _, o := range one(t, h) {
		seen[o.Process] = true
	}
	if len(seen) != len(names) || !seen[7] || !seen[4] {
		t.Errorf("processes %v of %d names", seen, len(names))
	}
	if got := h.Named("process -1 and process -2, process 7, process -99"); got != `process "w1" and process "w2", process 7, process -99` {
		t.Error(got)
	}
}

func compressed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func TestReadGzip(t *testing.T) {
	whole := compressed("\xef\xbb\xbf" + lockEDN)
	h, err := jepsen.Read(bytes.NewReader(whole), jepsen.Options{})
	if err != nil || len(one(t, h)) != 3 || h.Truncated {
		t.Fatalf("%+v %v", h, err)
	}
	h, err = jepsen.Read(bytes.NewReader(whole[:len(whole)-8]), jepsen.Options{}) // without its check sum
	if err != nil || !h.Truncated {
		t.Errorf("a cut-off gzip file: %+v, %v", h, err)
	}
	for _, bad := range [][]byte{whole[:5], whole[:20], append(bytes.Clone(whole[:len(whole)-8]), make([]byte, 8)...)} {
		if h, err := jepsen.Read(bytes.NewReader(bad), jepsen.Options{}); err == nil {
			t.Errorf("%d bytes of a gzip file are a history: %+v", len(bad), h)
		}
	}
}

// Only an end in the middle of an entry is forgiven, and only after others:
// what was under way is unknown.
func TestCutOff(t *testing.T) {
	for _, text := range []string{
		lockEDN[:strings.Index(lockEDN, ":value {:token")],
		lockEDN[:strings.Index(lockEDN, "{:type :invoke, :f :release")] + "#jepsen.his",
		"[" + lockEDN[:strings.Index(lockEDN, "{:type :invoke, :f :release")],
		lockEDN[:strings.Index(lockEDN, "{:type :invoke, :f :release")] + "{:type \"\xc3",
	} {
		h := read(t, text, jepsen.Options{})
		if !h.Truncated || len(one(t, h)) != 2 {
			t.Errorf("%+v of %q", h, text)
		}
	}
	for _, text := range []string{"{:type :invoke, :f :acq", "[", `[{"type":"invoke"`, "#", "(  #jepsen"} {
		if h, err := jepsen.Read(strings.NewReader(text), jepsen.Options{}); err == nil || !strings.Contains(err.Error(), "the file ends in the middle of an entry") {
			t.Errorf("%q: %+v, %v", text, h, err)
		}
	}
}

// What holds nothing is no error here, and no verdict for who asks.
func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "[]", "()", "; nothing", "\xef\xbb\xbf", "{:type :info, :f :start, :process :nemesis}\n"} {
		if h := read(t, text, jepsen.Options{}); len(h.Objects) != 0 {
			t.Errorf("%q: %+v", text, h)
		}
	}
}
