package site

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktorture/ledger"
	"locktorture/registry"
)

// config is one of this checkout, with a ledger of its own.
func config(t *testing.T, lines ...ledger.Line) Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	for _, l := range lines {
		if err := ledger.Append(dir, l); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Root: "..", Ledger: dir, Locks: registry.Locks()}
}

func line(lock, fault, grade string, seed int) ledger.Line {
	l := ledger.Line{
		Kind: ledger.Run, Lock: lock, LockVersion: "redis/go-redis v9.23.0", Server: "redis", Fault: fault, Workload: "counter", Flags: "--clients 5 --ttl 1s", Asked: "10s", Seed: uint64(seed),
		Grade: grade, Grants: 900, Effective: 4, Duration: 10_400, Commit: "c776436", Date: "2026-11-20T01:50:00Z", Machine: "linux/amd64", Cores: 2, Before: 0.4, After: 1.2,
		Sources: ledger.Sums{Lock: "01234567", Fault: "89abcdef", Checker: "00000000"},
	}
	switch grade {
	case "unsafe":
		l.Anomalies, l.Failed = []string{"overrun", "double-grant"}, true
	case ledger.NotInjected:
		l.Grants, l.Effective, l.Reason = 0, 0, "no replica"
	}
	return l
}

func page(t *testing.T, s *Site, path string) string {
	t.Helper()
	text, ok := s.Files[path]
	if !ok {
		t.Fatalf("there is no page %s", path)
	}
	return string(text)
}

// TestCellsLeadToRuns: the matrix shows what the lines come to, and leads to the runs and their command.
func TestCellsLeadToRuns(t *testing.T) {
	busy := line("redlock", "clock", "safe", 9)
	busy.After = 7.5
	longer, old := line("redis-set", "pause", "unsafe", 1), line("redlock", "hold", "safe", 1)
	longer.Asked, old.Asked = "20s", ""
	shown := ledger.Line{Kind: ledger.Finding, Lock: "redsync-late-set", Grade: ledger.Shown, Commit: old.Commit, Date: old.Date, Machine: old.Machine, Cores: 2, Sources: old.Sources}
	s, err := Make(config(t, longer, line("redis-set", "pause", "safe", 2), busy, line("zookeeper", "clock", ledger.NotInjected, 1), old, shown))
	if err != nil {
		t.Fatal(err)
	}
	if s.Runs != 5 {
		t.Errorf("%d runs, want 5: a program of a finding is none", s.Runs)
	}
	index := page(t, s, "index.html")
	for _, want := range []string{
		`<a class="cell g-unsafe stale" href="locks/redis-set.html#run-pause-counter-">unsafe 1/2 <small title="stale: run on 2026-11-20; changed since: the lock and the fault and the checker">stale</small></a>`,
		"5 runs of 3 locks in 4 cells", "safe 0/1 (&lt;\u00a095\u00a0%)\u00a0★", `<span class="cell g-untested">not tested</span>`, `title="its five servers are equals"`, `title="no replica"`,
	} {
		if !strings.Contains(index, want) {
			t.Errorf("index.html has no %s", want)
		}
	}
	lock := page(t, s, "locks/redis-set.html")
	for _, want := range []string{
		`id="run-pause-counter-"`, "<pre>torture run --backend redis-set --nemesis pause --workload counter --duration 10s --clients 5 --ttl 1s</pre>",
		"<code>--duration 20s --seed 1</code>", "<code>--seed 2</code>", "double-grant 1/2, overrun 1/2",
	} {
		if !strings.Contains(lock, want) {
			t.Errorf("the page of redis-set has no %s", want)
		}
	}
	if !strings.Contains(page(t, s, "locks/redlock.html"), "<pre>torture run --backend redlock --nemesis hold --workload counter --clients 5 --ttl 1s</pre>") {
		t.Error("the command of a run whose duration nobody knows names one")
	}
	if fault := page(t, s, "faults/pause.html"); !strings.Contains(fault, `href="../locks/redis-set.html#run-pause-counter-"`) {
		t.Error("the page of the fault does not lead to the lock")
	}
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	identity  = regexp.MustCompile(`\bid="([^"]*)"`)
)

// TestLinks follows every link between the pages of this repository's ledger. None leads out but to the web.
func TestLinks(t *testing.T) {
	s, err := Make(Config{Root: "..", Ledger: filepath.Join("..", ledger.Dir), Locks: registry.Locks()})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for name, text := range s.Files {
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if to == "data:," || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") {
				continue
			}
			links++
			target := path.Join(path.Dir(name), to)
			if to == "" {
				target = name
			}
			if s.Files[target] == nil {
				t.Errorf("%s leads to %s, which is not there", name, m[1])
			} else if anchor != "" && !slices.ContainsFunc(identity.FindAllStringSubmatch(string(s.Files[target]), -1), func(id []string) bool { return id[1] == anchor }) {
				t.Errorf("%s leads to %s, and nothing there is called so", name, m[1])
			}
		}
	}
	if links < 1000 || s.Findings < 20 || s.Locks < 50 || s.Faults < 10 {
		t.Errorf("%d links between the pages of %d locks, %d faults, %d findings", links, s.Locks, s.Faults, s.Findings)
	}
}

// TestLargeLedger: with 2,600 runs the pages stay below 2 MB, and the same ledger gives the same bytes.
func TestLargeLedger(t *testing.T) {
	c := config(t)
	var all strings.Builder
	locks := slices.Sorted(maps.Keys(c.Locks))
	for i := range 2600 {
		l := line(locks[i%100%len(locks)], []string{"pause", "clock", "latency", "partition", "hold"}[i/100%5], []string{"unsafe", "safe"}[i%2], i+1)
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, '\n'))
	}
	if err := os.MkdirAll(c.Ledger, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Ledger, "2026-11.jsonl"), []byte(all.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := Make(c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Make(c)
	if err != nil {
		t.Fatal(err)
	}
	for name := range a.Files {
		if string(a.Files[name]) != string(b.Files[name]) {
			t.Errorf("%s is another one the second time", name)
		}
	}
	if a.Runs != 2600 || a.Bytes() > 2<<20 {
		t.Errorf("%d runs make %d bytes", a.Runs, a.Bytes())
	}
}

// TestHostileTexts: what comes from libraries, servers and configuration files is text on every page.
func TestHostileTexts(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	l := line("redis-set", "pause", "unsafe", 1)
	l.LockVersion, l.ServerVersion, l.Flags, l.Commit = hostile, hostile, hostile, hostile
	no := line("redis-set", "clock", ledger.NotInjected, 1)
	no.Reason = hostile
	c := config(t, l, no)
	evil := c.Locks["redis-set"]
	evil.About, evil.Topology = hostile, hostile
	c.Locks["redis-set"] = evil
	for _, name := range []string{"../../evil", "absent"} {
		c.Locks[name] = registry.DriverEntry{About: hostile}.Backend(name)
	}
	s, err := Make(c)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range s.Files {
		if strings.Contains(string(text), "<script>alert") || strings.Contains(string(text), "<img") || strings.Contains(name, "..") {
			t.Errorf("%s has markup of a stranger", name)
		}
	}
	if !strings.Contains(page(t, s, "locks/absent.html"), "&lt;script&gt;alert(1)") {
		t.Error("the text is not shown at all")
	}
	for text, want := range map[string]string{
		"a `<b>` **<i>**":                          "<p>a <code>&lt;b&gt;</code> <b>&lt;i&gt;</b></p>\n",
		"[x](javascript:alert(1)) [y](z.md)":       "<p>x) y</p>\n",
		`[x](https://a/"onclick=b)`:                `<p><a href="https://a/&#34;onclick=b">x</a></p>` + "\n",
		"before\n```go\n<code> **no**\n```\nafter": "<p>before</p>\n<pre>&lt;code&gt; **no**</pre>\n<p>after</p>\n",
		"- one\n- two":                             "<ul><li>one</li><li>two</li></ul>\n",
	} {
		if got := string(markdown(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWrite writes into an empty directory and over an earlier site, and into no other.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	site := func(pages ...string) *Site {
		s := &Site{Files: map[string][]byte{mark: nil, "index.html": nil}}
		for _, p := range pages {
			s.Files[p] = []byte(p)
		}
		return s
	}
	if err := site("locks/a.html", "locks/b.html").Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := site("locks/b.html").Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "locks", "a.html")); err == nil {
		t.Error("the page of a lock that is gone is still there")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "locks", "b.html")); string(text) != "locks/b.html" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := site().Write(dir); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a directory with a file of somebody: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "locks", "b.html")); err != nil {
		t.Errorf("it was changed all the same: %v", err)
	}
	theirs := t.TempDir() // a site of somebody, whose files have names of ours
	if err := os.WriteFile(filepath.Join(theirs, "index.html"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := site().Write(theirs); err == nil || !strings.Contains(err.Error(), "no "+mark) {
		t.Errorf("a directory with an index.html of somebody: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(theirs, "index.html")); string(text) != "theirs" {
		t.Errorf("it was changed all the same: %q, %v", text, err)
	}
}
