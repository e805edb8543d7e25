package guide

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"locktorture/ledger"
	"locktorture/registry"
)

const root = ".."

// repository reads the ledger of this repository.
func repository(t *testing.T) *Data {
	t.Helper()
	d, err := Read(root, filepath.Join(root, ledger.Dir), registry.Locks())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// pages returns the pages of this repository with tables of the ledger.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	if len(texts) < 2 {
		t.Fatalf("only %d pages have tables of the ledger", len(texts))
	}
	return texts
}

// TestPagesAreFresh fails where a page is not what the ledger comes to. The marks of stale cells
// do not count: a change of the sources makes no figure wrong.
func TestPagesAreFresh(t *testing.T) {
	d := repository(t)
	for path, was := range pages(t) {
		now, err := ledger.Render(was, d.Table)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if ledger.WithoutAge(now) != ledger.WithoutAge(was) {
			t.Errorf("%s is not what the ledger comes to: make pages", path)
		}
	}
}

// TestLedgerIsValid reads every line of this repository, and holds the size of the ledger.
func TestLedgerIsValid(t *testing.T) {
	if _, err := ledger.Read(filepath.Join(root, ledger.Dir), time.Now()); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(root, ledger.Dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	if bytes > 5<<20 {
		t.Errorf("the ledger has %d bytes, 5 MB are allowed", bytes)
	}
}

// table matches a table of the ledger with its markers.
var table = regexp.MustCompile(`(?s)<!-- ledger: table .*?<!-- end -->`)

// TestProse holds the text of choosing.md between its tables: short, and without a figure that was
// measured, which would need a run behind it.
func TestProse(t *testing.T) {
	page := pages(t)[filepath.Join(root, "docs/choosing.md")]
	if n := len(strings.Fields(page)); n > 2500 {
		t.Errorf("choosing.md has %d words, 2,500 are allowed", n)
	}
	_, prose, _ := strings.Cut(table.ReplaceAllString(page, ""), "How to read a cell:")
	_, prose, _ = strings.Cut(prose, "\n\n") // past the examples
	measured := regexp.MustCompile(`\d+ of \d+|\d+/\d+ |\d ?(µs|%)|× ?\d|\d+ times (a|out)|hand-overs? a second`)
	for _, m := range measured.FindAllString(strings.ReplaceAll(prose, "--pause 1/1000", ""), -1) {
		t.Errorf("the text has the figure %q, with no run behind it", m)
	}
	if claim := regexp.MustCompile("`[a-z-]+` (is|was|comes to) (safe|unsafe|fenced)").FindString(prose); claim != "" {
		t.Errorf("the text claims %q: that belongs into a table", claim)
	}
}

// as are the sums of all sources in these tests.
var as = ledger.Sums{Lock: "aaaaaaaa", Fault: "bbbbbbbb", Checker: "cccccccc"}

// with makes the data of a ledger; changed has the sums that are not as they were.
func with(changed ledger.Sums, lines ...ledger.Line) *Data {
	return &Data{locks: registry.Locks(), book: ledger.NewBook(lines, func(ledger.Subject) (ledger.Sums, error) { return changed, nil })}
}

// runs are lines of a subject.
func runs(n int, s ledger.Subject, grade string) (lines []ledger.Line) {
	for i := range n {
		l := ledger.Line{
			Kind: s.Kind, Lock: s.Lock, Fault: s.Fault, Scenario: s.Scenario, Variant: s.Variant, Workload: s.Workload, Flags: s.Flags,
			Seed: uint64(i + 1), Grade: grade, Date: "2026-11-24T01:50:00Z", Cores: 2, Sources: as,
		}
		if grade == "unsafe" {
			l.Anomalies, l.Failed = []string{"double-grant"}, true
		}
		lines = append(lines, l)
	}
	return lines
}

func rendered(t *testing.T, d *Data, name string) string {
	t.Helper()
	text, err := d.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFiguresNeedLines changes a ledger in one line, and takes one away: the tables follow.
func TestFiguresNeedLines(t *testing.T) {
	pause := with(as).cell("redis-set", "pause").Subject
	lines := runs(12, pause, "unsafe")
	whole := rendered(t, with(as, lines...), "guide")
	if !strings.Contains(whole, "|[`redis-set`](../results/cells.md#redis-set)|unsafe 12/12|*not tested*|") {
		t.Fatalf("the row of redis-set:\n%s", whole)
	}
	changed := append([]ledger.Line{}, lines...)
	changed[5].Grade = "safe"
	for name, tt := range map[string]struct {
		d    *Data
		want string
	}{
		"a line is changed":         {with(as, changed...), "|unsafe 11/12|"},
		"a line is missing":         {with(as, lines[1:]...), "|unsafe 11/11|"},
		"the checker is another":    {with(ledger.Sums{Lock: as.Lock, Fault: as.Fault, Checker: "00000000"}, lines...), "|unsafe 12/12 (stale: 2026-11-24)|"},
		"the lines are of others":   {with(as, runs(12, with(as).cell("redlock", "pause").Subject, "unsafe")...), "|[`redis-set`](../results/cells.md#redis-set)|*not tested*|"},
		"the flags are others":      {with(as, runs(12, with(as).run("redis-set", "pause", "counter", 2*time.Second, 0).Subject, "unsafe")...), "|[`redis-set`](../results/cells.md#redis-set)|*not tested*|"},
		"the workload is another":   {with(as, runs(12, with(as).run("redis-set", "pause", "seckill", time.Second, 0).Subject, "unsafe")...), "|[`redis-set`](../results/cells.md#redis-set)|*not tested*|"},
		"a database with a replica": {with(as, runs(3, with(as).run("mysql-failover", "failover", "counter", time.Second, 0).Subject, "unsafe")...), "|unsafe 3/3|"},
	} {
		if got := rendered(t, tt.d, "guide"); !strings.Contains(got, tt.want) || got == whole {
			t.Errorf("%s: want %s in\n%s", name, tt.want, got)
		}
	}
}

// TestReasons shows why a cell has no run: because of what the lock is, or because nobody can
// inject the fault.
func TestReasons(t *testing.T) {
	line := runs(1, with(as).cell("consul", "clock").Subject, ledger.NotInjected)[0]
	line.Reason = "Consul asks the kernel"
	text := rendered(t, with(as, line), "guide")
	for _, want := range []string{"*not applicable* (1)", "(1) one server has no leader; see fail-over."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !regexp.MustCompile(`\*not tested\* \((\d)\)(?s:.*)\n\(\d\) Consul asks the kernel\.`).MatchString(text) {
		t.Errorf("no reason for Consul's clock in\n%s", text)
	}
}

// TestPlan runs what the pages lack, and no more.
func TestPlan(t *testing.T) {
	empty, err := with(as).Plan(12, 20)
	if err != nil || len(empty) < 80 {
		t.Fatalf("an empty ledger lacks %d cells: %v", len(empty), err)
	}
	cell := func(nemesis string) ledger.Subject { return with(as).cell("redis-set", nemesis).Subject }
	var lines []ledger.Line
	lines = append(lines, runs(12, cell("pause"), "unsafe")...)
	lines = append(lines, append(runs(11, cell("clock"), "unsafe"), runs(1, cell("clock"), "safe")...)...)
	lines = append(lines, runs(5, cell("hold"), "safe")...)
	lines = append(lines, runs(1, cell("restart-empty"), ledger.NotInjected)...)
	lines[len(lines)-1].Reason = "why"
	next, err := with(as, lines...).Plan(12, 20)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, n := range next {
		if n.Kind == ledger.Run && n.Lock == "redis-set" && n.Workload == "counter" {
			got[n.Fault] = fmt.Sprint(n.Runs, " seed ", n.Command[len(n.Command)-1])
		}
	}
	for nemesis, want := range map[string]string{"pause": "", "restart-empty": "", "clock": "8 seed 12", "hold": "7 seed 6", "partition": "12 seed 1"} {
		if got[nemesis] != want {
			t.Errorf("%s: %q, want %q", nemesis, got[nemesis], want)
		}
	}
	if last := next[len(next)-1]; last.Fault != "clock" && last.Fault != "hold" {
		t.Errorf("what has the most runs does not come last: %v", last.Command)
	}
	for _, n := range next {
		if _, ok := registry.Locks()[n.Lock]; !ok {
			t.Errorf("there is no lock %s", n.Lock)
		}
	}
}

// TestCosts shows no cost of fewer than five rounds on a machine that was not busy.
func TestCosts(t *testing.T) {
	lines := runs(6, priced("redis-set"), ledger.Taken)
	for i := range lines {
		lines[i].Figures = []ledger.Figure{{Name: "acquire_us/1", Value: float64(40 + i)}}
	}
	if text := rendered(t, with(as, lines...), "costs"); !strings.Contains(text, "|`redis-set`|6|42µs (40µs to 45µs)|–|") {
		t.Errorf("six rounds:\n%s", text)
	}
	lines[0].After, lines[1].Before = 3.1, 3.1
	if text := rendered(t, with(as, lines...), "costs"); !strings.Contains(text, "|`redis-set`|4|*not measured*|") {
		t.Errorf("six rounds, two of them on a busy machine:\n%s", text)
	}
}

func TestNoSuchTable(t *testing.T) {
	if _, err := with(as).Table("storms"); err == nil {
		t.Error("a table that there is not was computed")
	}
}

// TestReproduces: a subject of the plan is what the ledger calls the run that its command makes.
func TestReproduces(t *testing.T) {
	d := with(as)
	for _, w := range d.all() {
		if w.Kind == ledger.Scenario {
			continue
		}
		flags, err := ledger.Flags(strings.Join(w.command(7), " "))
		if err != nil || flags != w.Flags {
			t.Errorf("%q has the flags %q, want %q: %v", w.command(7), flags, w.Flags, err)
		}
	}
}
