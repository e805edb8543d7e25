package linear_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
)

var update = flag.Bool("update", false, "write testdata/verdicts.txt anew")

// TestVerdictsOfCorpus compares all that a verdict says of each history of the
// corpus – the procedure, the reason, the witness, the sentence – with what it
// said before: an outcome may be right for a wrong reason.
func TestVerdictsOfCorpus(t *testing.T) {
	names, err := filepath.Glob("testdata/*.history")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d histories: %v", len(names), err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parseCorpus(string(text))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", filepath.Base(name))
		for _, model := range linear.Models() {
			o := f.opt
			o.StrictTries = true
			weak, strict := said(linear.Check(f.ops, model, f.opt)), said(linear.Check(f.ops, model, o))
			switch {
			case strings.Contains(weak, " has no operation "):
			case weak == strict:
				fmt.Fprintf(&b, "  %s: %s", model, weak)
			default:
				fmt.Fprintf(&b, "  %s: %s  %s, strict: %s", model, weak, model, strict)
			}
		}
	}
	golden := filepath.Join("testdata", "verdicts.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("-want +got (go test -update writes it anew)\n%s", d)
	}
}

// said writes what a verdict says.
func said(v linear.Verdict) string {
	s := fmt.Sprintf("%v by %q, witness %v\n", v.Outcome, v.Algorithm, v.Witness)
	for _, line := range []string{v.Reason, v.Explanation} {
		if line != "" {
			s += "    " + line + "\n"
		}
	}
	return s
}

// A row is a history, one operation a line as in the corpus, and what is said
// of it.
type row struct {
	model   string
	ops     string // separated by ;
	opt     linear.Options
	want    linear.Outcome
	says    string // part of the reason or the explanation
	witness []int
}

func (r row) operations(t *testing.T) (ops []linear.Operation) {
	t.Helper()
	for line := range strings.SplitSeq(r.ops, ";") {
		o, err := parseOperation(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ops = append(ops, o)
	}
	return ops
}

func (r row) check(t *testing.T) {
	t.Helper()
	ops := r.operations(t)
	v := linear.Check(ops, r.model, r.opt)
	if v.Outcome != r.want || !strings.Contains(v.Reason+v.Explanation, r.says) {
		t.Errorf("%v by %s: %s%s; want %v, %q", v.Outcome, v.Algorithm, v.Reason, v.Explanation, r.want, r.says)
	}
	if r.witness != nil && !slices.Equal(v.Witness, r.witness) {
		t.Errorf("witness %v, want %v", v.Witness, r.witness)
	}
	for _, engine := range []string{"search", "porcupine"} {
		o := r.opt
		o.Engine = engine
		if v := linear.Check(ops, r.model, o); v.Outcome != r.want && !strings.Contains(r.says, "ill-formed") {
			t.Errorf("by %s: %v (%s%s), want %v", engine, v.Outcome, v.Reason, v.Explanation, r.want)
		}
	}
}

// What a process may do with a lock, and what contradicts itself.
func TestProcessOfLock(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	strict := linear.Options{StrictTries: true}
	for name, r := range map[string]row{
		"renews what it holds":              {"mutex", "1 acquire ok 1 2; 1 renew ok 3 4; 1 release ok 5 6", linear.Options{}, valid, "", nil},
		"renews what it does not hold":      {"mutex", "1 acquire ok 1 2; 1 release ok 3 4; 1 renew ok 5 6", linear.Options{}, invalid, "renews a lock that it does not hold", []int{2}},
		"is refused a renewal as holder":    {"mutex", "1 acquire ok 1 2; 1 renew refused 3 4", linear.Options{}, invalid, `is answered "not held"`, []int{0, 1}},
		"is refused a renewal":              {"mutex", "1 renew refused 3 4", linear.Options{}, valid, "", nil},
		"renews with an unknown outcome":    {"mutex", "1 acquire ok 1 2; 1 renew unknown 3 -", linear.Options{}, valid, "", nil},
		"releases what it does not hold":    {"mutex", "1 release ok 1 2", linear.Options{}, invalid, "releases a lock that it does not hold", []int{0}},
		"releases twice":                    {"mutex", "1 acquire ok 1 2; 1 release ok 3 4; 1 release ok 5 6", linear.Options{}, invalid, "releases a lock that it does not hold", []int{2}},
		"is refused a release as holder":    {"mutex", "1 acquire ok 1 2; 1 release refused 3 4", linear.Options{}, invalid, `is answered "not held"`, []int{0, 1}},
		"is refused a release":              {"mutex", "2 acquire ok 1 2; 1 release refused 3 4", linear.Options{}, valid, "", nil},
		"is granted what it holds":          {"mutex", "1 acquire ok 1 2; 1 acquire ok 3 4", linear.Options{}, invalid, "granted the lock that it already holds", []int{0, 1}},
		"re-enters":                         {"reentrant", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 1 release ok 7 8", linear.Options{}, valid, "", nil},
		"is held until the last release":    {"reentrant", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 2 acquire ok 7 8; 1 release ok 9 10", linear.Options{}, invalid, "surely holds it from 2 to 9", []int{0, 4, 3}},
		"is free after the last release":    {"reentrant", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 1 release ok 7 8; 2 acquire ok 9 10", linear.Options{}, valid, "", nil},
		"releases more often than it took":  {"reentrant", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 1 release ok 7 8; 1 release ok 9 10", linear.Options{}, invalid, "releases a lock that it does not hold", []int{4}},
		"is refused re-entry":               {"reentrant", "1 acquire ok 1 2; 1 acquire refused 3 4", strict, invalid, "a holder is refused re-entry", []int{0, 1}},
		"is refused re-entry, weakly":       {"reentrant", "1 acquire ok 1 2; 1 acquire refused 3 4", linear.Options{}, valid, "", nil},
		"is refused while it holds a mutex": {"mutex", "1 acquire ok 1 2; 1 acquire refused 3 4", strict, valid, "", nil},
		"ends all at once":                  {"reentrant", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 end ok 5 6; 2 acquire ok 7 8", linear.Options{}, valid, "", nil},
		"ends, and the next came before":    {"mutex", "1 acquire ok 1 2; 2 acquire ok 3 4; 1 end ok 5 6", linear.Options{}, invalid, "surely holds it from 2 to 5", []int{0, 2, 1}},
		"ends what it does not hold":        {"mutex", "1 end ok 1 2; 2 acquire ok 3 4", linear.Options{}, valid, "", nil},
		"is surely held to the call":        {"mutex", "1 acquire ok 1 2; 1 release ok 5 9; 2 acquire ok 3 5", linear.Options{}, valid, "", nil},
		"is surely held up to the call":     {"mutex", "1 acquire ok 1 2; 1 release ok 5 9; 2 acquire ok 3 4", linear.Options{}, invalid, "granted the lock at 4 or earlier", []int{0, 1, 2}},
		"a release proves its acquire":      {"mutex", "1 acquire ok 1 10; 2 acquire unknown 11 -; 2 release ok 13 14; 1 release ok 20 21", linear.Options{}, invalid, "releases the lock between 13 and 14", []int{0, 3, 1, 2}},
		"a proved section fits before":      {"mutex", "2 acquire unknown 1 -; 2 release ok 13 14; 1 acquire ok 5 13; 1 release ok 20 21", linear.Options{}, valid, "", nil},
		"ends, and takes it again":          {"mutex", "1 acquire ok 1 2; 1 end ok 3 4; 1 acquire ok 5 6", linear.Options{}, valid, "", nil},
		"ends after it perhaps released":    {"mutex", "1 release unknown 3 -; 1 acquire ok 1 2; 2 acquire ok 4 5; 2 release ok 6 7; 1 end ok 8 9", linear.Options{}, valid, "", nil},
		"a try in a gap":                    {"mutex", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 6; 1 acquire ok 7 8", strict, invalid, "surely free until 7", []int{1, 2, 3}},
		"a try that meets the end":          {"mutex", "1 acquire ok 1 2; 1 release ok 3 5; 2 acquire refused 5 6; 1 acquire ok 7 8", strict, valid, "", nil},
		"a try that meets the next":         {"mutex", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 7; 1 acquire ok 7 8", strict, valid, "", nil},
		"a try before all":                  {"mutex", "2 acquire refused 1 2; 1 acquire ok 3 4", strict, invalid, "surely free until 3", []int{0, 1}},
		"a try after all":                   {"mutex", "1 acquire ok 1 2; 1 release ok 3 4; 2 acquire refused 5 6", strict, invalid, "surely free until the end", []int{1, 2}},
		"a try before an unknown acquire":   {"mutex", "2 acquire refused 5 6; 3 acquire unknown 7 -", strict, invalid, "surely free until 7", []int{0, 1}},
		"the first of unknown acquires":     {"mutex", "3 acquire unknown 1 -; 4 acquire unknown 9 -; 2 acquire refused 5 6", strict, valid, "", nil},
		"the first, though named later":     {"mutex", "4 acquire unknown 9 -; 3 acquire unknown 1 -; 2 acquire refused 5 6", strict, valid, "", nil},
		"a try beside an unknown acquire":   {"mutex", "2 acquire refused 5 7; 3 acquire unknown 7 -", strict, valid, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r.check(t)
			if v := linear.Check(r.operations(t), r.model, r.opt); v.Algorithm != "sections" {
				t.Errorf("left to %s: %s", v.Algorithm, v.Reason)
			}
		})
	}
}

// Histories that no recorder can have meant get no verdict.
func TestIllFormedOperations(t *testing.T) {
	for want, ops := range map[string][]linear.Operation{
		"unknown function":            {{F: linear.Observe + 1}},
		"unknown status":              {{F: linear.Acquire, Status: linear.Refused + 1}},
		"called never":                {{F: linear.Acquire, Call: linear.Never}},
		"a known outcome, but no":     {{F: linear.Acquire, Status: linear.OK, Return: linear.Never}},
		"a TTL below 0":               {{F: linear.Acquire, TTL: -1}},
		"returned before its call":    {{F: linear.Acquire, Status: linear.OK, Call: 2, Return: 1}},
		"runs two operations at once": {acq(1, 1, 5), rel(1, 4, 6)},
	} {
		if err := linear.Validate(ops); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", ops, err, want)
		}
		if v := linear.Check(ops, "mutex", linear.Options{}); v.Outcome != linear.Unknown || !strings.Contains(v.Reason, want) {
			t.Errorf("%v: %+v", ops, v)
		}
	}
	if err := linear.Validate([]linear.Operation{{}}); err == nil {
		t.Error("an operation without a function")
	}
	backwards := []linear.Operation{rel(1, 5, 6), acq(1, 1, 5)} // not in the order of their calls
	if v := linear.Check(backwards, "mutex", linear.Options{}); v.Outcome != linear.Valid {
		t.Errorf("in another order: %+v", v)
	}
}

// What there is not is said, and no verdict.
func TestUnknownNames(t *testing.T) {
	for _, c := range []struct{ model, engine, says string }{
		{"mutx", "", `there is no model "mutx"`},
		{"mutex", "knossos", `there is no engine "knossos"`},
		{"replay", "search", "there is nothing to search"},
	} {
		if v := linear.Check(nil, c.model, linear.Options{Engine: c.engine}); v.Outcome != linear.Unknown || !strings.Contains(v.Reason, c.says) {
			t.Errorf("%+v: %+v", c, v)
		}
	}
	for o, want := range map[fmt.Stringer]string{
		linear.Valid: "valid", linear.Invalid: "invalid", linear.Unknown: "unknown", linear.OK: "ok", linear.Refused: "refused",
		linear.Pending: "unknown", linear.FetchAdd: "fetch-add", linear.F(200): "F(200)", linear.F(0): "F(0)",
	} {
		if o.String() != want {
			t.Errorf("%v, want %s", o, want)
		}
	}
	if text, err := linear.Invalid.MarshalText(); err != nil || string(text) != "invalid" {
		t.Errorf("%s, %v", text, err)
	}
	if _, ok := linear.ParseF("dance"); ok {
		t.Error("nobody dances")
	}
	if _, ok := linear.ParseF(""); ok {
		t.Error("no name is no function")
	}
}
