package scorecard_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/internal/schema"
	"locktorture/report/scorecard"
)

// try returns a run of a matrix with a verdict.
func try(backend, nemesis string, seed uint64, grade checker.Grade, kinds ...string) scorecard.Try {
	r := &checker.Result{Grade: grade, Sentence: string(grade) + ": so it is", Counts: checker.Counts{Grants: 100, Faults: 4, Bites: 3, Anomalies: map[string]int{}},
		Stores:   []checker.StoreResult{{Store: "fenced", Of: 50}, {Store: "plain", Lost: 2, Of: 50}},
		Measures: checker.Measures{GrantRate: 10 * float64(seed), Acquire: checker.Quantiles{N: 9, P50: int64(seed) * 1e6, P99: int64(seed) * 1e7}}}
	p := checker.Property{Name: "exclusion", Status: checker.Kept}
	for i, k := range kinds {
		r.Counts.Anomalies[k]++
		p.Status = checker.Violated
		p.Anomalies = append(p.Anomalies, checker.Anomaly{Kind: k, Time: int64(1e9 * (i + 1)), Sentence: "c1 saw a " + k})
	}
	r.Properties = []checker.Property{p}
	exit := map[checker.Grade]int{checker.Safe: 0, checker.FencedG: 0, checker.Unsafe: 1, checker.Unknown: 3}[grade]
	return scorecard.Try{Backend: backend, Nemesis: nemesis, Workload: "counter", Seed: seed, State: scorecard.Tried, Exit: exit, Took: time.Second,
		Dir: "runs/" + backend, Reproduce: "torture run --backend " + backend, Result: r}
}

func TestRowsSumSeedsUp(t *testing.T) {
	rows := scorecard.Rows([]scorecard.Try{
		try("a", "none", 1, checker.Safe), try("b", "none", 1, checker.Safe),
		try("a", "none", 2, checker.Unsafe, "overrun"), try("a", "none", 3, checker.Unknown),
	})
	if len(rows) != 2 {
		t.Fatalf("%d rows, want one for each backend", len(rows))
	}
	r := rows[0]
	if r.Grade != checker.Unsafe || r.Grades != "1 unsafe, 1 unknown, 1 safe" || r.Seeds != 3 {
		t.Errorf("grade %s, grades %q, %d seeds", r.Grade, r.Grades, r.Seeds)
	}
	if r.Grants != 300 || r.GrantRate != 20 || r.P50 != 2e6 || r.P99 != 3e7 || r.Bites != 9 {
		t.Errorf("grants %d, rate %v, p50 %d, p99 %d, bites %d", r.Grants, r.GrantRate, r.P50, r.P99, r.Bites)
	}
	want := []scorecard.RowLoss{{Store: "plain", Lost: 6, Of: 150}, {Store: "fenced", Of: 150}}
	if d := cmp.Diff(want, r.Loss); d != "" {
		t.Errorf("loss (-want +got):\n%s", d)
	}
	all, known := r.Union()
	if known != 2 || all.Grade != checker.Unsafe || all.Counts.Anomalies["overrun"] != 1 {
		t.Errorf("union %+v of %d: the unknown seed is no part of it", all, known)
	}
}

func TestRowCases(t *testing.T) {
	expected := scorecard.Rows([]scorecard.Try{try("known-broken", "pause", 1, checker.Unsafe, "overrun")})[0]
	expected.Expected = "unsafe"
	differs := scorecard.Rows([]scorecard.Try{try("known-broken", "pause", 1, checker.Safe)})[0]
	differs.Expected, differs.Differs = "unsafe", "expected unsafe, got safe"
	failed := try("x", "none", 1, checker.Safe)
	failed.State, failed.Reason, failed.Result = scorecard.HarnessFailed, "redis-server did not start", nil
	notRun := try("x", "none", 1, checker.Safe)
	notRun.State, notRun.Reason, notRun.Result = scorecard.NotRun, "the matrix ended before this run began", nil
	by := func(b checker.Breaker) scorecard.Try {
		x := try("a", "pause", 1, checker.FencedG, map[checker.Breaker]string{checker.TheLock: "double-grant", checker.TheHolder: "overrun"}[b])
		if x.Result.BrokenBy = b; b == checker.TheLock {
			x.Exit, x.Result.Failed = 1, true
		}
		return x
	}
	stuck := try("a", "none", 2, checker.Safe, "deadlock")
	stuck.Exit, stuck.Result.Failed = 1, true
	cell := func(tries ...scorecard.Try) scorecard.Row { return scorecard.Rows(tries)[0] }
	for _, tt := range []struct {
		name string
		row  scorecard.Row
		want [4]int // tests, failures, errors, skipped
		says string
	}{
		{"safe passes", cell(try("a", "none", 1, checker.Safe)), [4]int{1, 0, 0, 0}, ""},
		{"unsafe fails with its witness", cell(try("a", "none", 1, checker.Unsafe, "overrun")), [4]int{1, 1, 0, 0}, "c1 saw a overrun"},
		{"one bad seed among good ones fails", cell(try("a", "none", 1, checker.Safe), try("a", "none", 2, checker.Unsafe, "overrun")), [4]int{1, 1, 0, 0}, "c1 saw a overrun"},
		{"unknown is an error, never a pass", cell(try("a", "none", 1, checker.Unknown)), [4]int{1, 0, 1, 0}, "unknown"},
		{"unsafe as expected passes", expected, [4]int{1, 0, 0, 0}, ""},
		{"safe where unsafe was expected fails", differs, [4]int{1, 1, 0, 0}, "expected unsafe, got safe"},
		{"a failed harness is an error", cell(failed), [4]int{1, 0, 1, 0}, "redis-server did not start"},
		{"a seed that failed is not hidden by one that went well", cell(failed, try("x", "none", 2, checker.Safe)), [4]int{1, 0, 1, 0}, "redis-server did not start"},
		{"fenced passes", cell(by(checker.TheHolder)), [4]int{1, 0, 0, 0}, "1 fenced (holder)"},
		{"fenced fails if the lock broke its promise", cell(by(checker.TheHolder), by(checker.TheLock)), [4]int{1, 1, 0, 0}, "c1 saw a double-grant"},
		{"what stands beside a good grade is not hidden by a seed without it", cell(try("a", "none", 1, checker.FencedG), stuck), [4]int{1, 1, 0, 0}, "c1 saw a deadlock"},
		{"not run is neither", cell(notRun), [4]int{1, 0, 0, 1}, "not run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := report.JUnit(&out, scorecard.Cases([]scorecard.Row{tt.row})); err != nil {
				t.Fatal(err)
			}
			schema.JUnit(t, out.Bytes())
			var got struct {
				Tests    int `xml:"tests,attr"`
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
				Skipped  int `xml:"skipped,attr"`
			}
			if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if n := [4]int{got.Tests, got.Failures, got.Errors, got.Skipped}; n != tt.want {
				t.Errorf("tests, failures, errors, skipped = %v, want %v", n, tt.want)
			}
			if !strings.Contains(out.String(), tt.says) {
				t.Errorf("does not say %q:\n%s", tt.says, &out)
			}
		})
	}
}

// hostileRows are rows in which every string is hostile.
func hostileRows() []scorecard.Row {
	bad := try(sample.Hostile, sample.Hostile, 1, checker.Unsafe, sample.Hostile)
	bad.Dir, bad.Reproduce, bad.Workload = sample.Hostile, sample.Hostile, sample.Hostile
	bad.Result.Sentence = sample.Hostile
	none := bad
	none.Backend, none.State, none.Reason, none.Result = "b", scorecard.NotPossible, sample.Hostile, nil
	rows := scorecard.Rows([]scorecard.Try{bad, none})
	rows[0].Differs = sample.Hostile
	return rows
}

func TestTablesOfHostileStrings(t *testing.T) {
	var text, mark, page, junit bytes.Buffer
	rows := hostileRows()
	card := scorecard.Card{Rows: rows, Locks: []scorecard.Lock{{Name: sample.Hostile, About: sample.Hostile, Family: sample.Hostile, Clock: sample.Hostile, Reentrancy: sample.Hostile}, {Name: "b"}},
		Claims: []scorecard.Claim{{Family: sample.Hostile, Aspect: "consistency", Says: sample.Hostile}},
		Trend:  []scorecard.Point{{Night: sample.Hostile, Backend: sample.Hostile, State: scorecard.Tried, Grade: checker.Grade(sample.Hostile)}}}
	for _, err := range []error{scorecard.Text(&text, rows, 0), scorecard.Markdown(&mark, rows), scorecard.Write(&page, card), report.JUnit(&junit, scorecard.Cases(rows))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	schema.JUnit(t, junit.Bytes())
	if n := strings.Count(text.String(), "\n"); n != 3 {
		t.Errorf("the text has %d lines, want a head and two rows", n)
	}
	if n := strings.Count(mark.String(), "\n"); n != 6 {
		t.Errorf("the Markdown has %d lines, want a difference, an empty line, a head of two and two rows", n)
	}
	for _, out := range []string{text.String(), mark.String()} {
		for _, r := range out {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%U got through", r)
			}
		}
	}
	for line := range strings.Lines(mark.String()) {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 13 && n != 0 || n == 0 && strings.HasPrefix(line, "|") {
			t.Errorf("%d bars in a line of Markdown, want 13: %.200q", n, line)
		}
	}
	for name, out := range map[string]string{"Markdown": mark.String(), "page": page.String()} {
		if strings.Contains(out, "<script") || strings.Contains(out, "alert(1)</s") {
			t.Errorf("markup got through into the %s", name)
		}
		if len(out) > 200_000 {
			t.Errorf("the %s has %d bytes: long strings were not cut", name, len(out))
		}
	}
}

func TestScoreCardSaysWhatWasMeasured(t *testing.T) {
	rows := scorecard.Rows([]scorecard.Try{
		try("redis-set", "none", 1, checker.Safe), try("redis-set", "pause", 1, checker.Unsafe, "overrun"), try("etcd", "none", 1, checker.Safe),
	})
	var page bytes.Buffer
	err := scorecard.Write(&page, scorecard.Card{Rows: rows, Locks: []scorecard.Lock{{Name: "redis-set", Family: "Redis"}, {Name: "etcd", Family: "etcd"}, {Name: "never-run"}},
		Claims: []scorecard.Claim{{Family: "Redis", Aspect: "consistency", Says: "weak"}, {Family: "Consul", Aspect: "performance", Says: "medium"}},
		Trend:  []scorecard.Point{scorecard.NewPoint(rows[1].Tries[0], "c0ffee")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 cells of 2 locks: 1 unsafe, 2 safe.", `href="runs/redis-set/report.html"`, "redis-set: unsafe under pause", "0 of 1 lock never found unsafe", "first anomaly after 1 s"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, no := range []string{"Consul", "never-run", "http://", "https://", "<script"} {
		if strings.Contains(page.String(), no) {
			t.Errorf("the page says %q", no)
		}
	}
}

// TestScoreCardSaysWhoBrokeIt: a fenced that fails looks like one, on the page,
// in the text and on the terminal.
func TestScoreCardSaysWhoBrokeIt(t *testing.T) {
	lock, holder := try("redis-fenced", "clock", 1, checker.FencedG, "double-grant"), try("redis-fenced", "pause", 1, checker.FencedG, "overrun")
	lock.Result.BrokenBy, lock.Result.Failed, holder.Result.BrokenBy = checker.TheLock, true, checker.TheHolder
	lock.Dir = "runs/broken"
	also := holder
	also.Seed, also.Nemesis = 2, "clock"
	var page, text, line bytes.Buffer
	rows := scorecard.Rows([]scorecard.Try{also, lock, holder})
	card := scorecard.Card{Rows: rows, Locks: []scorecard.Lock{{Name: "redis-fenced", Family: "Redis"}}, Claims: []scorecard.Claim{{Family: "Redis", Aspect: "consistency", Says: "weak"}}}
	if err := errors.Join(scorecard.Write(&page, card), scorecard.Text(&text, rows, 0), report.Text(&line, report.Run{}, *lock.Result, report.Look{Width: 80, Color: true})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 fenced (lock), 1 fenced (holder).", `class="grade grade-fenced grade-broken" href="runs/broken/report.html"`,
		`class="grade grade-fenced" href="runs/redis-fenced/report.html"`, "redis-fenced: broke its promise and was fenced under clock", "1 of 1 lock never found unsafe",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !strings.Contains(text.String(), "1 fenced (lock), 1 fenced (holder)") {
		t.Errorf("the table does not say who broke it:\n%s", &text)
	}
	if !strings.Contains(line.String(), "\x1b[1;31mfenced") {
		t.Errorf("a verdict that fails is not marked as bad: %s", &line)
	}
}

// TestRatesHaveTheirConditions: beside a rate stands how many runs, clients and processors it
// is of, and how busy the machine was; what was not recorded is not made up.
func TestRatesHaveTheirConditions(t *testing.T) {
	one, two, old := try("a", "none", 1, checker.Safe), try("a", "none", 2, checker.Safe), try("b", "none", 1, checker.Safe)
	for i, p := range []*scorecard.Try{&one, &two} {
		p.Args, p.Cores, p.Load = []string{"--clients", "5"}, 2, float64(3+8*i)
	}
	c := scorecard.Card{Locks: []scorecard.Lock{{Name: "a", Family: "F"}, {Name: "b", Family: "F"}}, Claims: []scorecard.Claim{{Family: "F", Aspect: "performance", Says: "high"}},
		Rows: scorecard.Rows([]scorecard.Try{one, two, old})}
	var page bytes.Buffer
	if err := scorecard.Write(&page, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"counter; 2 runs, 5 clients, 2 cores, load 3 to 11)", "counter; 1 run, cores and load not recorded)"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}
