package guide

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestPagesAreFresh fails where a page is not what the ledger comes to. Whether lines are stale does not
// count: a change of the sources makes no figure wrong. So each row must be one of the sources as
// they are, or of those of the latest lines.
func TestPagesAreFresh(t *testing.T) {
	now, then := repository(t), repository(t)
	lines, err := ledger.Read(filepath.Join(root, ledger.Dir), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	latest := map[ledger.Subject]ledger.Line{}
	for _, l := range lines {
		if l.Date >= latest[l.Subject()].Date {
			latest[l.Subject()] = l
		}
	}
	then.book = ledger.NewBook(lines, func(s ledger.Subject) (ledger.Sums, error) { return latest[s].Sources, nil })
	for path, was := range pages(t) {
		rows := map[string]bool{}
		for _, d := range []*Data{now, then} {
			text, err := ledger.Render(was, d.Table)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for row := range strings.Lines(ledger.WithoutAge(text)) {
				rows[row] = true
			}
			if d == then && strings.Count(text, "\n") != strings.Count(was, "\n") {
				t.Errorf("%s has other rows than the ledger: make pages", path)
			}
		}
		for row := range strings.Lines(ledger.WithoutAge(was)) {
			if !rows[row] {
				t.Errorf("%s is not what the ledger comes to: make pages:\n%s", path, row)
			}
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
	for _, want := range []string{"*not applicable* (1)", "(1) a single server has no leader; see fail-over."} {
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
	other := func(n Next) bool { return n.Kind == ledger.Scenario || strings.HasSuffix(n.Flags, " 10s") }
	first := next[:slices.IndexFunc(next, other)]
	if n := len(first); first[n-1].Fault != "clock" || first[n-2].Fault != "hold" || first[n-3].Last != "" {
		t.Errorf("what has the most runs does not come last of the cells: %v, %v", first[n-2].Command, first[n-1].Command)
	}
	for _, n := range next[len(first):] {
		if !other(n) {
			t.Errorf("a cell of a lock comes after other tables: %v", n.Command)
		}
	}
	locks := map[string]int{}
	for _, n := range empty {
		if !other(n) {
			locks[n.Lock]++
		}
	}
	if locks["redis-set"] != 11 || locks["consul"] != 11 || locks["redlock"] != 10 || len(locks) != len(chosen())+1 {
		t.Errorf("the cells that an empty ledger lacks, by locks: %v", locks)
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
	if text := rendered(t, with(as, lines...), "costs"); !strings.Contains(text, "|`redis-set`|6|42µs (40µs–45µs)|–|") {
		t.Errorf("six rounds:\n%s", text)
	}
	lines[0].After, lines[1].Before = 3.1, 3.1
	if text := rendered(t, with(as, lines...), "costs"); !strings.Contains(text, "|`redis-set`|4|*not measured*|") {
		t.Errorf("six rounds, two of them on a busy machine:\n%s", text)
	}
}

// TestNotMeasured: neither a line of a busy machine nor a stale one is a measurement.
func TestNotMeasured(t *testing.T) {
	changed := ledger.Sums{Lock: as.Lock, Fault: as.Fault, Checker: "00000000"}
	swept := runs(2, ledger.Subject{Kind: ledger.Sweep, Lock: "redis-set", Flags: "--ttl 1s"}, ledger.Taken)
	swept[1].After = 3.1
	priced := runs(6, priced("redis-set"), ledger.Taken)
	searched := append(runs(1, ledger.Subject{Kind: ledger.Search, Lock: "redis-set-del", Flags: "--clients 3 --ttl 500ms"}, ledger.Found),
		runs(1, ledger.Subject{Kind: ledger.Search, Lock: "redis-set-del", Flags: "--clients 3 --ttl 500ms"}, ledger.NotFound)...)
	searched[0].Anomalies = []string{"foreign-release"}
	dead := runs(1, with(as).cell("redis-set", "kill-client").Subject, "safe")
	dead[0].Freed = []int64{850}
	for _, tt := range []struct {
		table, row string
		d          *Data
		want       int
	}{
		{"sweep", "|`redis-set`|`--ttl 1s`|", with(as, swept...), 1},
		{"sweep", "|`redis-set`|`--ttl 1s`|", with(changed, swept...), 0},
		{"searches", "| redis-set-del | `--clients 3 --ttl 500ms` | found 1/2: foreign-release 1/2 | foreign-release new |", with(as, searched...), 1},
		{"costs", "|`redis-set`|0|*not measured*|", with(changed, priced...), 1},
		{"recovery", "|`redis-set`|1s|1|850ms|850ms|", with(as, dead...), 1},
		{"recovery", "|`redis-set`|1s|*not measured*|", with(changed, dead...), 1},
	} {
		if text := rendered(t, tt.d, tt.table); strings.Count(text, tt.row) != tt.want {
			t.Errorf("%s: want %d rows %s in\n%s", tt.table, tt.want, tt.row, text)
		}
	}
}

func TestNoSuchTable(t *testing.T) {
	if _, err := with(as).Table("storms"); err == nil {
		t.Error("a table that there is not was computed")
	}
}

// TestApps: each app of this repository has a row, a real one and a control in different tables; it needs
// more runs than a cell.
func TestApps(t *testing.T) {
	d := with(as, runs(3, ledger.Subject{Kind: ledger.App, Lock: "knex", Fault: "kill"}, "safe")...)
	var err error
	if d.programs, err = programs(root); err != nil {
		t.Fatal(err)
	}
	real, control := rendered(t, d, "apps"), rendered(t, d, "controls")
	for row, in := range map[string]string{
		"| [knex](knex) | kill | safe 0/3": real, "| [knex](knex) | latency | *not tested* |": real, "| [goose](goose) | pause |": real,
		"| [fenced-go](fenced-go) | kill, latency, partition, pause, restart | *not tested* |": control,
	} {
		if !strings.Contains(in, row) {
			t.Errorf("no row %q in\n%s", row, in)
		}
	}
	if strings.Contains(real, "fenced-go") || strings.Contains(control, "knex") {
		t.Error("an app is in the table of the others")
	}
	plan, err := d.Plan(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	needs := map[string]int{}
	for _, n := range plan {
		if n.Kind == ledger.App {
			needs[n.Lock] = n.Runs
		}
	}
	if needs["fenced-go"] != 20 || needs["patroni"] != 20 {
		t.Errorf("apps need %v runs", needs)
	}
}

// TestReproduces: a subject of the plan is what the ledger calls the run that its command makes.
func TestReproduces(t *testing.T) {
	d := with(as)
	for _, w := range d.all() {
		if w.Kind == ledger.Scenario {
			continue
		}
		var l ledger.Line
		if err := l.Asks(strings.Join(w.command(7), " ")); err != nil || l.Flags != w.Flags || l.Asked != w.duration.String() {
			t.Errorf("%q has the flags %q for %s, want %q: %v", w.command(7), l.Flags, l.Asked, w.Flags, err)
		}
	}
}
