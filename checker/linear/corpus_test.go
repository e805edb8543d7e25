package linear_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/checker/linear"
)

// A corpusFile is a hand-written history with what must be said about it.
type corpusFile struct {
	source string
	expect map[bool]map[string]linear.Outcome // by strict tries, by model
	opt    linear.Options
	ops    []linear.Operation
}

// TestCorpus judges the hand-written histories by every engine.
func TestCorpus(t *testing.T) {
	names, err := filepath.Glob("testdata/*.history")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d histories: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".history"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parseCorpus(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for strict, expect := range f.expect {
				for model, want := range expect {
					f.judge(t, model, strict, want)
				}
			}
		})
	}
}

func (f *corpusFile) judge(t *testing.T, model string, strict bool, want linear.Outcome) {
	t.Helper()
	engines := []string{"", "search", "porcupine"}
	if model == "replay" {
		engines = engines[:1]
	}
	for _, engine := range engines {
		o := f.opt
		o.StrictTries, o.Engine = strict, engine
		v := linear.Check(f.ops, model, o)
		if v.Outcome != want {
			t.Errorf("%s by %q, strict %t: %v (%s%s), want %v", model, engine, strict, v.Outcome, v.Reason, v.Explanation, want)
		}
		if engine != "porcupine" {
			checkEvidence(t, v, len(f.ops))
		}
	}
}

// parseCorpus reads the strict format: a header of source, options and
// expectations, an empty line, one operation a line.
func parseCorpus(text string) (*corpusFile, error) {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		return nil, fmt.Errorf("no header")
	}
	f := &corpusFile{expect: map[bool]map[string]linear.Outcome{}}
	for line := range strings.Lines(head) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch key {
		case "source":
			f.source = rest
		case "expect", "expect-strict":
			f.expect[key == "expect-strict"], err = parseExpect(rest)
		case "options":
			err = f.options(rest)
		default:
			err = fmt.Errorf("unknown header %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	if f.source == "" || len(f.expect) == 0 {
		return nil, fmt.Errorf("a history states its source and what to expect")
	}
	for line := range strings.Lines(body) {
		o, err := parseOperation(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		f.ops = append(f.ops, o)
	}
	return f, nil
}

func parseExpect(s string) (map[string]linear.Outcome, error) {
	out := map[string]linear.Outcome{}
	for _, field := range strings.Fields(s) {
		model, word, _ := strings.Cut(field, "=")
		switch word {
		case "valid":
			out[model] = linear.Valid
		case "invalid":
			out[model] = linear.Invalid
		default:
			return nil, fmt.Errorf("unknown outcome %q", word)
		}
	}
	return out, nil
}

func (f *corpusFile) options(s string) error {
	for _, field := range strings.Fields(s) {
		key, value, _ := strings.Cut(field, "=")
		n, err := strconv.Atoi(value)
		switch key {
		case "ttl":
			f.opt.TTL = time.Duration(n)
		case "capacity":
			f.opt.Capacity = n
		case "parties":
			f.opt.Parties = n
		case "stock":
			f.opt.Stock = int64(n)
		case "initial":
			f.opt.Initial, err = value, nil
		default:
			return fmt.Errorf("unknown option %q", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseOperation reads "process f status call return key=value…".
func parseOperation(line string) (o linear.Operation, err error) {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return o, fmt.Errorf("process, f, status, call and return are needed")
	}
	number := func(s string) int64 {
		n, e := strconv.ParseInt(s, 10, 64)
		if e != nil && err == nil {
			err = e
		}
		return n
	}
	o.Process, o.Call = int(number(fields[0])), number(fields[3])
	f, ok := linear.ParseF(fields[1])
	status, ok2 := map[string]linear.Status{"ok": linear.OK, "refused": linear.Refused, "unknown": linear.Pending}[fields[2]]
	if !ok || !ok2 {
		return o, fmt.Errorf("unknown function or status")
	}
	o.F, o.Status, o.Return = f, status, linear.Never
	if fields[4] != "-" {
		o.Return = number(fields[4])
	}
	for _, field := range fields[5:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "shared":
			o.Shared = true
		case "permits":
			o.Permits = uint32(number(value))
		case "ttl":
			o.TTL = number(value)
		case "token":
			o.Token = uint64(number(value))
		case "delta":
			o.Delta = number(value)
		case "number":
			o.Number = number(value)
		case "key":
			o.Key = value
		case "value":
			o.Value = value
		case "expect":
			o.Expect = value
		default:
			return o, fmt.Errorf("unknown field %q", key)
		}
	}
	return o, err
}
