package jepsen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

// lines writes calls that are all open before the first is answered: one a
// line, as "process f value → answer".
func lines(calls ...[4]string) string {
	var invoked, answered strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&invoked, "{:type :invoke, :process %s, :f :%s, :value %s}\n", c[0], c[1], c[2])
		kind, value := "ok", c[3]
		for _, other := range []string{"fail", "info"} {
			if rest, ok := strings.CutPrefix(c[3], other+" "); ok {
				kind, value = other, rest
			}
		}
		fmt.Fprintf(&answered, "{:type :%s, :process %s, :f :%s, :value %s}\n", kind, c[0], c[1], value)
	}
	return invoked.String() + answered.String()
}

// Values name objects where all of them do, and one shows it.
func TestKeys(t *testing.T) {
	named := [][4]string{{"0", "lock", `"a"`, `"id 1"`}, {"1", "unlock", `"a"`, `"true"`}, {"2", "refresh", `"b"`, `""`}}
	for name, c := range map[string]struct {
		calls [][4]string
		how   jepsen.Keys
		want  []string
	}{
		"a pair whose read has no value":   {[][4]string{{"0", "write", "[1 7]", "[1 7]"}, {"1", "read", "[2 nil]", "[2 7]"}}, jepsen.Auto, []string{"1", "2"}},
		"a cas of a key":                   {[][4]string{{"0", "cas", `["a" [1 7]]`, `["a" [1 7]]`}}, jepsen.Auto, []string{`a`}},
		"a locked pair":                    {[][4]string{{"0", "acquire", "[1 nil]", "[1 33]"}}, jepsen.Auto, []string{"1"}},
		"a timed-out answer has no key":    {[][4]string{{"0", "read", "[1 nil]", "info :timeout"}, {"1", "write", "[1 2]", "fail nil"}}, jepsen.Auto, []string{"1"}},
		"a cas is [from to]":               {[][4]string{{"0", "cas", "[1 7]", "[1 7]"}}, jepsen.Auto, []string{""}},
		"lists that are written and read":  {[][4]string{{"0", "write", "[1 7]", "nil"}, {"1", "read", "nil", "[1 7]"}}, jepsen.Auto, []string{""}},
		"pairs without proof":              {[][4]string{{"0", "write", "[1 7]", "nil"}}, jepsen.Auto, []string{""}},
		"pairs without proof, said to be":  {[][4]string{{"0", "write", "[1 7]", "nil"}}, jepsen.Split, []string{"1"}},
		"pairs, said not to be":            {[][4]string{{"0", "read", "[1 nil]", "[1 7]"}}, jepsen.Whole, []string{""}},
		"names of locks":                   {named, jepsen.Auto, []string{"a", "b"}},
		"names, said not to be":            {named, jepsen.Whole, []string{""}},
		"names of one process, said to be": {named[:1], jepsen.Split, []string{"a"}},
		"numbers of locks":                 {[][4]string{{"0", "acquire", "5", "5"}, {"1", "acquire", "5", "5"}}, jepsen.Auto, []string{"5"}},
		"tokens of releases":               {[][4]string{{"0", "acquire", "nil", "33"}, {"1", "release", "33", "nil"}}, jepsen.Auto, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			h := read(t, lines(c.calls...), jepsen.Options{Keys: c.how})
			var got []string
			for _, o := range h.Objects {
				got = append(got, o.Key)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
	if _, err := jepsen.Read(strings.NewReader(lockEDN), jepsen.Options{Keys: jepsen.Split}); err == nil || !strings.Contains(err.Error(), "no keys to split by") {
		t.Errorf("split without keys: %v", err)
	}
}

// Two keys are two registers: what is invalid as one is valid as two.
func TestIndependentKeys(t *testing.T) {
	text := ""
	for _, c := range [][4]string{
		{"0", "write", "[1 7]", "[1 7]"}, {"1", "write", "[2 8]", "[2 8]"}, {"0", "read", "[1 nil]", "[1 7]"}, {"1", "read", "[2 nil]", "[2 8]"},
	} {
		text += lines(c)
	}
	h := read(t, text, jepsen.Options{})
	for _, o := range h.Objects {
		if v := linear.Check(o.Operations, "register", linear.Options{}); v.Outcome != linear.Valid || len(o.Operations) != 2 {
			t.Errorf("key %s: %+v of %v", o.Key, v, o.Operations)
		}
	}
	h = read(t, strings.Replace(text, ":value [2 8]}\n{:type :invoke, :process 0, :f :read", ":value [2 8]}\n{:type :invoke, :process 2, :f :write, :value [1 9]}\n{:type :ok, :process 2, :f :write, :value [1 9]}\n{:type :invoke, :process 0, :f :read", 1), jepsen.Options{})
	if v := linear.Check(h.Objects[0].Operations, "register", linear.Options{}); v.Outcome != linear.Invalid {
		t.Errorf("a stale read of key 1: %+v", v)
	}
}

// The words of --keys.
func TestParseKeys(t *testing.T) {
	for word, want := range map[string]jepsen.Keys{"auto": jepsen.Auto, "split": jepsen.Split, "whole": jepsen.Whole} {
		if got, err := jepsen.ParseKeys(word); err != nil || got != want {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	if _, err := jepsen.ParseKeys("Auto"); err == nil {
		t.Error("Auto is no word")
	}
}
