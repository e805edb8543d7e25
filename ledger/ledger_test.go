package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// now is when the lines of these tests are read.
func now() time.Time { return time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC) }

// line is a valid line, changed as a test wants it.
func line(change func(l *Line)) Line {
	l := Line{
		Kind: Run, Lock: "redis-set", LockVersion: "redis/go-redis v9.23.0", Server: "redis", ServerVersion: "7.0.15",
		Fault: "pause", Workload: "counter", Flags: "--clients 5 --ttl 1s", Seed: 3,
		Grade: "unsafe", Anomalies: []string{"overrun"}, Failed: true, Grants: 900, Effective: 4,
		Duration: 10_000, Commit: "c776436", Date: "2026-11-24T01:50:00Z", Machine: "linux/amd64", Cores: 2, Before: 0.4, After: 1.2, Stall: 7,
		Sources: Sums{"01234567", "89abcdef", "00000000"},
	}
	if change != nil {
		change(&l)
	}
	return l
}

func TestLineIsShort(t *testing.T) {
	if n := len(encode(line(nil))); n > 600 {
		t.Errorf("a line has %d bytes: %s", n, encode(line(nil)))
	}
}

// TestParseRefuses holds the schema: each text is wrong in one way, and the error says where.
func TestParseRefuses(t *testing.T) {
	good := string(encode(line(nil)))
	with := func(old, new string) string {
		text := strings.Replace(good, old, new, 1)
		if text == good {
			t.Fatalf("%s has no %s", good, old)
		}
		return text + "\n"
	}
	changed := func(change func(l *Line)) string { return string(encode(line(change))) + "\n" }
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":             {"{\n", "f:2: unexpected EOF"},
		"an unknown field":    {with(`"seed":3`, `"seed":3,"colour":1`), `f:2: json: unknown field "colour"`},
		"a field twice":       {with(`"seed":3`, `"seed":4,"seed":3`), "f:2: it is not as the commands write it"},
		"another order":       {with(`{"kind":"run",`, `{"seed":3,"kind":"run",`), "f:2: it is not as the commands write it"},
		"two objects":         {good + "{}\n", "f:2: more than one object"},
		"an empty line":       {"\n", "f:2: EOF"},
		"a line cut off":      {good, "f:2: the line is cut off"},
		"a wrong grade":       {with(`"unsafe"`, `"dangerous"`), `f:2: grade "dangerous"`},
		"unsafe, by nothing":  {changed(func(l *Line) { l.Anomalies = nil }), "f:2: grade unsafe without an anomaly"},
		"no such anomaly":     {with(`"overrun"`, `"overruns"`), `f:2: there is no anomaly "overruns"`},
		"no such kind":        {with(`"run"`, `"walk"`), `f:2: kind "walk"`},
		"the future":          {with("2026-11-24T01", "2026-11-24T13"), "f:2: date 2026-11-24T13:50:00Z is in the future"},
		"no date":             {with("2026-11-24T01:50:00Z", "yesterday"), `f:2: date "yesterday"`},
		"another time zone":   {with("01:50:00Z", "01:50:00+01:00"), "must be in UTC"},
		"no commit":           {with(`"c776436"`, `""`), "f:2: commit"},
		"a negative count":    {with(`"grants":900`, `"grants":-1`), "f:2: a negative count"},
		"no cores":            {with(`"cores":2`, `"cores":0`), "f:2: 0 cores"},
		"a number too large":  {with(`"grants":900`, `"grants":1e400`), "f:2: json: cannot unmarshal number"},
		"a name with markup":  {with(`"redis-set"`, `"<b>"`), "f:2: lock"},
		"faults with a comma": {with(`"pause"`, `"pause,clock"`), "f:2: fault"},
		"a sum too short":     {with(`"89abcdef"`, `"89ab"`), "must have eight hexadecimal digits"},
		"no duration":         {changed(func(l *Line) { l.Asked = "long" }), `f:2: asked "long"`},
		"trials of a run":     {changed(func(l *Line) { l.Trials = 7 }), "f:2: 7 trials of a run"},
		"a reason, and a run": {changed(func(l *Line) { l.Reason = "why" }), "no other grade has one"},
		"not injected, and a run": {changed(func(l *Line) { l.Grade, l.Reason = NotInjected, "why" }),
			"nothing was run, but the line has"},
		"a run of a scenario": {changed(func(l *Line) { l.Scenario = "gc-pause" }), "neither a scenario"},
		"too large a share":   {changed(func(l *Line) { l.Others = share(1.01) }), "f:2: other_work 1.01"},
		"a play with a fault": {changed(func(l *Line) { l.Kind, l.Scenario = Scenario, "gc-pause" }), "a play has a scenario and no fault"},
	} {
		_, err := Parse("f", []byte(good+"\n"+tt.text), now())
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f:2: ") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestAppend appends from many sides at once: every line is whole, and in the file of its month.
func TestAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "ledger")
	const writers, each = 8, 40
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				month := "11"
				if i%2 == 1 {
					month = "10"
				}
				err := Append(dir, line(func(l *Line) {
					l.Seed, l.Date = uint64(1+w*each+i), "2025-"+month+"-24T01:50:00Z"
					l.Flags = strings.Repeat("--clients 5 ", 100*w) // a line longer than a page
				}))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines, err := Read(dir, now())
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[uint64]bool{}
	for _, l := range lines {
		seeds[l.Seed] = true
	}
	if len(lines) != writers*each || len(seeds) != len(lines) {
		t.Errorf("%d lines with %d seeds, want %d", len(lines), len(seeds), writers*each)
	}
	for _, name := range []string{"2025-10.jsonl", "2025-11.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := Append(dir, line(func(l *Line) { l.Grade = "good" })); err == nil {
		t.Error("a line with a wrong grade was written")
	}
	if err := Append(dir, line(func(l *Line) { l.Date = time.Now().Add(time.Hour).UTC().Format(time.RFC3339) })); err == nil {
		t.Error("a line of the future was written")
	}
	if lines, err := Read(dir, now()); len(lines) > 0 || err != nil {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestReadFiles refuses what does not belong into a ledger.
func TestReadFiles(t *testing.T) {
	for name, text := range map[string]string{
		"notes.txt":     "",
		"2026-13.jsonl": "",
		"2026-10.jsonl": string(encode(line(nil))) + "\n", // of November
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir, now()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if lines, err := Read(filepath.Join(t.TempDir(), "none"), now()); len(lines) > 0 || err != nil {
		t.Errorf("a ledger that is not there: %d lines, %v", len(lines), err)
	}
}

// FuzzParse holds that what can be read is written again as it was.
func FuzzParse(f *testing.F) {
	f.Add(append(encode(line(nil)), '\n'))
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"kind":"scenario"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := Parse("f", text, now())
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("the error does not say where: %v", err)
			}
			return
		}
		var again []byte
		for _, l := range lines {
			again = append(append(again, encode(l)...), '\n')
		}
		if string(again) != string(text) {
			t.Errorf("%q is written as %q", text, again)
		}
	})
}

// A run is news if its cell had runs, but none with its grade or anomaly.
func TestNews(t *testing.T) {
	before := Cell{Runs: 2, Grades: map[string]int{"safe": 2}, Kinds: map[string]int{"orphan": 1}}
	for want, now := range map[string]Cell{
		"":                     {Runs: 3, Grades: map[string]int{"safe": 3}, Kinds: map[string]int{"orphan": 2}},
		"double-grant, unsafe": {Runs: 3, Grades: map[string]int{"safe": 2, "unsafe": 1}, Kinds: map[string]int{"orphan": 1, "double-grant": 1}},
	} {
		if news := now.News(before); news != want {
			t.Errorf("%q, want %q", news, want)
		}
		if news := now.News(Cell{}); news != "" {
			t.Errorf("the first run of a cell: %q", news)
		}
	}
}

func share(of float64) *float64 { return &of }

func TestCells(t *testing.T) {
	const current = "aaaaaaaa"
	as := Sums{current, current, current}
	of := func(n int, grade string, more ...func(l *Line)) (lines []Line) {
		for range n {
			lines = append(lines, line(func(l *Line) {
				l.Grade, l.Sources, l.Failed, l.Anomalies = grade, as, grade == "unsafe", nil
				for _, change := range more {
					change(l)
				}
			}))
		}
		return lines
	}
	both := func(a, b []Line) []Line { return append(a, b...) }
	old := func(day string) func(l *Line) {
		return func(l *Line) { l.Date, l.Sources.Checker = day+"T00:00:00Z", "0000"+day[:4] }
	}
	for name, tt := range map[string]struct {
		lines []Line
		want  string
	}{
		"nothing":                                {nil, "*not tested*"},
		"all unsafe":                             {of(20, "unsafe"), "unsafe 20/20"},
		"runs differ":                            {both(of(12, "fenced"), of(8, "safe")), "fenced 12/20"},
		"the worst counts":                       {both(of(19, "safe"), of(1, "unsafe")), "unsafe 1/20"},
		"safe":                                   {of(40, "safe"), "safe 0/40 (< 7.3 %)"},
		"safe, once":                             {of(1, "safe"), "safe 0/1 (< 95 %)"},
		"safe, but it failed":                    {both(of(19, "safe"), of(1, "safe", func(l *Line) { l.Failed, l.Anomalies = true, []string{"deadlock"} })), "safe 0/20 (< 14 %), but deadlock 1/20"},
		"unknown only":                           {of(2, "unknown"), "*unknown* 2/2"},
		"unknown is no run":                      {both(of(2, "unknown"), of(3, "unsafe")), "unsafe 3/3"},
		"a busy machine":                         {both(of(2, "unsafe"), of(1, "unsafe", func(l *Line) { l.After = 3.01 })), `unsafe 3/3\*`},
		"a busy machine, then a quiet one":       {both(of(12, "unsafe"), of(1, "unsafe", func(l *Line) { l.After = 3.01 })), "unsafe 13/13"},
		"a load of its own":                      {of(2, "unsafe", func(l *Line) { l.After, l.Others = 5, share(0.5) }), "unsafe 2/2"},
		"other work":                             {of(2, "unsafe", func(l *Line) { l.Others = share(0.51) }), `unsafe 2/2\*`},
		"it cannot be injected":                  {of(1, NotInjected, func(l *Line) { l.Reason = "no replica" }), "*not tested*: no replica"},
		"stale":                                  {of(3, "unsafe", old("2026-10-01")), "unsafe 3/3 (stale: 2026-10-01)"},
		"stale lines do not count beside others": {both(of(3, "unsafe", old("2026-10-01")), of(2, "safe")), "safe 0/2 (< 78 %)"},
		"of stale lines the latest count":        {both(of(3, "unsafe", old("2025-10-01")), of(2, "fenced", old("2026-10-01"))), "fenced 2/2 (stale: 2026-10-01)"},
	} {
		if got := Fold(tt.lines, as).String(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := fmt.Sprint(Fold(of(1, "safe", old("2026-10-01")), as).Stale); got != "[the checker]" {
		t.Errorf("stale by %s", got)
	}
}

// TestStalest plays what has no run first, then what is stale, then what has few runs.
func TestStalest(t *testing.T) {
	as := Sums{"aaaaaaaa", "aaaaaaaa", "aaaaaaaa"}
	run := func(lock, day string, sources Sums) Line {
		return line(func(l *Line) { l.Lock, l.Date, l.Sources = lock, day+"T00:00:00Z", sources })
	}
	lines := []Line{
		run("many", "2026-11-01", as), run("many", "2026-11-02", as),
		run("once", "2026-11-03", as), run("once-before", "2026-11-02", as),
		run("stale", "2026-11-20", Sums{"bbbbbbbb", "bbbbbbbb", "bbbbbbbb"}),
	}
	b := NewBook(lines, func(Subject) (Sums, error) { return as, nil })
	var subjects []Subject
	for _, lock := range []string{"many", "once", "stale", "never", "once-before"} {
		s := lines[0].Subject()
		s.Lock = lock
		subjects = append(subjects, s)
	}
	order, err := b.Stalest(subjects)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range order {
		got = append(got, w.Lock)
	}
	if want := "never stale once-before once many"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLacks wants runs of a quiet machine, but does not wait for one without end.
func TestLacks(t *testing.T) {
	for name, tt := range map[string]struct {
		cell Cell
		want int
	}{
		"no run":                {Cell{}, 12},
		"stale":                 {Cell{Runs: 40, Last: "2026", Stale: []string{"the lock"}}, 12},
		"all quiet":             {Cell{Runs: 12, Last: "2026"}, 0},
		"some busy":             {Cell{Runs: 12, Busy: 5, Last: "2026"}, 5},
		"some unknown":          {Cell{Runs: 8, Open: 4, Last: "2026"}, 4},
		"they differ":           {Cell{Runs: 12, Grades: map[string]int{"safe": 11, "unsafe": 1}, Last: "2026"}, 8},
		"one failed":            {Cell{Runs: 12, Broken: map[string]int{"deadlock": 1}, Last: "2026"}, 8},
		"always busy":           {Cell{Runs: 35, Busy: 35, Last: "2026"}, 1},
		"always unknown":        {Cell{Open: 36, Last: "2026"}, 0},
		"it cannot be injected": {Cell{Reason: "no replica", Last: "2026"}, 0},
	} {
		if got := (Waiting{Cell: tt.cell}).Lacks(12, 20); got != tt.want {
			t.Errorf("%s: lacks %d, want %d", name, got, tt.want)
		}
	}
}

func TestRender(t *testing.T) {
	const page = "# A page\n\n<!-- ledger: table guide -->\nold\n<!-- end -->\nbetween\n<!-- ledger: table costs -->\n<!-- end -->\n"
	table := func(name string) (string, error) {
		if name == "nothing" {
			return "", fmt.Errorf("there is no such table")
		}
		return "| " + name + " |\n\n", nil
	}
	got, err := Render(page, table)
	want := "# A page\n\n<!-- ledger: table guide -->\n| guide |\n<!-- end -->\nbetween\n<!-- ledger: table costs -->\n| costs |\n<!-- end -->\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if again, err := Render(got, table); err != nil || again != got {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	for name, page := range map[string]string{
		"no end":         "<!-- ledger: table guide -->\n",
		"an end missing": strings.Replace(page, "<!-- end -->\nbetween", "between", 1),
		"no such table":  strings.Replace(page, "table guide", "table nothing", 1),
	} {
		if got, err := Render(page, table); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	const aged = "| unsafe 3/3 (stale: 2026-11-24) |"
	if got := WithoutAge(aged); got != "| unsafe 3/3 |" {
		t.Errorf("without its age: %s", got)
	}
}
