package jepsen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

// A described row is a call, its answer's type and what follows that, and what it is for a
// checker.
type described struct {
	f, value, kind, rest string
	want                 linear.Operation
}

// describes compares what calls and their answers are for a checker.
func describes(t *testing.T, rows map[string]described) {
	t.Helper()
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			text := "{:type :invoke, :f :" + c.f + ", :process 0, :value " + c.value + "}\n{:type :" + c.kind + ", :f :" + c.f + ", :process 0, " + c.rest + "}\n"
			h := read(t, text, jepsen.Options{})
			var want []linear.Operation
			if c.want.F != 0 {
				if c.want.Call, c.want.Line = 1, 1; c.want.Status != linear.Pending {
					c.want.Return = 2
				}
				want = append(want, c.want)
			}
			if d := cmp.Diff(want, one(t, h)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if silent := c.kind == "fail" && want == nil; (h.Silent == 1) != silent {
				t.Errorf("%d left out", h.Silent)
			}
		})
	}
}

// What is asked of a lock that one holds.
func TestDescribeLocks(t *testing.T) {
	const ok, no, open = linear.OK, linear.Refused, linear.Pending
	describes(t, map[string]described{
		"grant with a token":           {"acquire", "nil", "ok", ":value 33", linear.Operation{F: linear.Acquire, Status: ok, Token: 33}},
		"the greatest token":           {"lock", "nil", "ok", ":value 18446744073709551615N", linear.Operation{F: linear.Acquire, Status: ok, Token: 1<<64 - 1}},
		"grant with a fence":           {"lock", "nil", "ok", `:value {:client "c", :fence 4}`, linear.Operation{F: linear.Acquire, Status: ok, Token: 4}},
		"grant with a token of digits": {"try", "nil", "ok", `:value {"token" "5"}`, linear.Operation{F: linear.Acquire, Status: ok, Token: 5}},
		"grant with the name of it":    {"try-acquire", "nil", "ok", `:value "Token [id=x7]"`, linear.Operation{F: linear.Acquire, Status: ok}},
		"grant with token 0 alone":     {"acquire", "nil", "ok", ":value 0", linear.Operation{F: linear.Acquire, Status: ok}},
		"grant that echoes":            {"acquire", "[:a]", "ok", ":value [:a]", linear.Operation{F: linear.Acquire, Status: ok}},
		"grant that answers false":     {"acquire", "nil", "ok", ":value false", linear.Operation{F: linear.Acquire, Status: no}},
		"refused":                      {"acquire", "nil", "fail", ":value nil", linear.Operation{F: linear.Acquire, Status: no}},
		"refused, held":                {"acquire", "nil", "fail", ":error :already-held", linear.Operation{F: linear.Acquire, Status: no}},
		"not sent":                     {"acquire", "nil", "fail", ":error :connection-refused", linear.Operation{}},
		"open":                         {"acquire", "nil", "info", ":error :timeout", linear.Operation{F: linear.Acquire, Status: open}},
		"renewal":                      {"renew", "7", "ok", ":value nil", linear.Operation{F: linear.Renew, Status: ok, Token: 7}},
		"refused renewal":              {"refresh", "nil", "fail", ":error :lease-expired", linear.Operation{F: linear.Renew, Status: no}},
		"renewal answered with false":  {"extend", "nil", "ok", `:value "false"`, linear.Operation{F: linear.Renew, Status: no}},
		"refused release":              {"release", "nil", "fail", ":error :not-held", linear.Operation{F: linear.Release, Status: no}},
		"refused without a word":       {"unlock", "nil", "fail", "", linear.Operation{F: linear.Release, Status: no}},
		"release that was not sent":    {"release", "nil", "fail", ":error [:timeout 5]", linear.Operation{}},
		"release of a token":           {"release", "{:token 9}", "ok", ":value nil", linear.Operation{F: linear.Release, Status: ok, Token: 9}},
	})
}

// What is asked of a store.
func TestDescribeStores(t *testing.T) {
	const ok, no = linear.OK, linear.Refused
	describes(t, map[string]described{
		"read":                    {"read", "nil", "ok", ":value 5", linear.Operation{F: linear.Read, Status: ok, Value: "5", Number: 5}},
		"read of a map":           {"get", "nil", "ok", ":value {:b 2, :a #{2 1}}", linear.Operation{F: linear.Read, Status: ok, Value: "{:a #{1 2}, :b 2}"}},
		"read of nothing":         {"read", "nil", "ok", "", linear.Operation{F: linear.Read, Status: ok}},
		"failed read":             {"read", "nil", "fail", "", linear.Operation{}},
		"open read":               {"read", "nil", "info", "", linear.Operation{}},
		"write":                   {"write", "+05N", "info", "", linear.Operation{F: linear.Write, Value: "5"}},
		"failed write":            {"put", "5", "fail", "", linear.Operation{}},
		"append":                  {"append", `"x"`, "ok", "", linear.Operation{F: linear.Append, Status: ok, Value: "x"}},
		"cas":                     {"cas", "[nil 1]", "ok", "", linear.Operation{F: linear.CAS, Status: ok, Value: "1"}},
		"failed cas":              {"cas", "[1 2]", "fail", "", linear.Operation{}},
		"add":                     {"add", "-3", "ok", "", linear.Operation{F: linear.Add, Status: ok, Delta: -3}},
		"fetch-add":               {"faa", "1", "ok", ":value 41", linear.Operation{F: linear.FetchAdd, Status: ok, Delta: 1, Number: 41}},
		"sold":                    {"sell", "nil", "ok", "", linear.Operation{F: linear.Sell, Status: ok}},
		"sold out":                {"sell", "nil", "fail", ":error :sold-out", linear.Operation{F: linear.Sell, Status: no}},
		"sale that was not tried": {"sell", "nil", "fail", ":error :timeout", linear.Operation{}},
	})
}

// What several share: read-write locks, permits, latches, barriers and elections.
func TestDescribeShared(t *testing.T) {
	const ok, no = linear.OK, linear.Refused
	describes(t, map[string]described{
		"reader":                       {"acquire-shared", "nil", "ok", ":value 33", linear.Operation{F: linear.Acquire, Status: ok, Shared: true, Token: 33}},
		"reader that is refused":       {"try-shared", "nil", "fail", ":error :taken", linear.Operation{F: linear.Acquire, Status: no, Shared: true}},
		"reader that leaves":           {"release-shared", "nil", "ok", "", linear.Operation{F: linear.Release, Status: ok, Shared: true}},
		"reader that renews":           {"renew-shared", "nil", "info", "", linear.Operation{F: linear.Renew, Shared: true}},
		"permits for a time":           {"acquire", "{:permits 2 :ttl 500}", "ok", ":value {:token 7 :ttl 400}", linear.Operation{F: linear.Acquire, Status: ok, Permits: 2, TTL: 400, Token: 7}},
		"count-down":                   {"count-down", "nil", "ok", "", linear.Operation{F: linear.CountDown, Status: ok}},
		"count-down without an answer": {"countdown", "nil", "info", "", linear.Operation{F: linear.CountDown}},
		"count-down that failed":       {"count-down", "nil", "fail", "", linear.Operation{}},
		"wait":                         {"await", "nil", "ok", ":value true", linear.Operation{F: linear.Await, Status: ok}},
		"wait in vain":                 {"await", "nil", "ok", ":value false", linear.Operation{F: linear.Await, Status: no}},
		"wait, and it was closed":      {"await", "nil", "fail", ":error :not-open", linear.Operation{F: linear.Await, Status: no}},
		"wait that was not sent":       {"await", "nil", "fail", ":error :timeout", linear.Operation{}},
		"party":                        {"enter", "nil", "ok", "", linear.Operation{F: linear.Enter, Status: ok}},
		"party that gave up":           {"enter", "nil", "fail", "", linear.Operation{}},
		"party that leaves":            {"leave", "nil", "info", "", linear.Operation{F: linear.Leave}},
		"candidate":                    {"campaign", `"n1"`, "ok", ":value {:term 4}", linear.Operation{F: linear.Campaign, Status: ok, Value: "n1", Token: 4}},
		"candidate that nobody hears":  {"campaign", `"n1"`, "info", "", linear.Operation{F: linear.Campaign, Value: "n1"}},
		"candidate that lost":          {"campaign", `"n1"`, "fail", "", linear.Operation{}},
		"leader that resigns":          {"resign", "{:term 4}", "ok", "", linear.Operation{F: linear.Resign, Status: ok, Token: 4}},
		"leader no more":               {"resign", "nil", "fail", ":error :lost", linear.Operation{F: linear.Resign, Status: no}},
		"observer":                     {"observe", "nil", "ok", `:value {:value "n1" :term 4}`, linear.Operation{F: linear.Observe, Status: ok, Value: "n1", Token: 4}},
		"observer without a term":      {"observe", "nil", "ok", `:value "n1"`, linear.Operation{F: linear.Observe, Status: ok, Value: "n1"}},
		"observer of nobody":           {"observe", "nil", "ok", ":value nil", linear.Operation{F: linear.Observe, Status: no}},
		"observer without an answer":   {"observe", "nil", "fail", ":error :timeout", linear.Operation{}},
	})
}

// A failed cas is a mismatch only where that was said, and it names no error.
func TestFailedCAS(t *testing.T) {
	text := lines([4]string{"0", "cas", "[1 2]", "fail nil"}) +
		strings.Replace(lines([4]string{"0", "cas", "[3 4]", "fail nil"}), ":type :fail", ":error :timeout, :type :fail", 1)
	h := read(t, text, jepsen.Options{FailedCAS: true})
	want := []linear.Operation{{F: linear.CAS, Status: linear.Refused, Call: 1, Return: 2, Expect: "1", Value: "2", Line: 1}}
	if d := cmp.Diff(want, one(t, h)); d != "" || h.Silent != 1 {
		t.Errorf("%d left out; -want +got\n%s", h.Silent, d)
	}
}

// In a history of locks with names an empty answer is a refusal, and the name
// is not a token.
func TestNamedLocks(t *testing.T) {
	h := read(t, lines([4]string{"0", "lock", `"5"`, `"5"`}, [4]string{"1", "refresh", `"5"`, `""`}, [4]string{"2", "lock", `"5"`, `""`}), jepsen.Options{})
	want := []linear.Operation{
		{Process: 0, F: linear.Acquire, Status: linear.OK, Call: 1, Return: 4, Line: 1},
		{Process: 1, F: linear.Renew, Status: linear.Refused, Call: 2, Return: 5, Line: 2},
		{Process: 2, F: linear.Acquire, Status: linear.Refused, Call: 3, Return: 6, Line: 3},
	}
	if d := cmp.Diff(want, h.Objects[0].Operations); d != "" || h.Objects[0].Key != "5" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A read that is no integer is told apart: it is not a sum of 0.
func TestNoNumber(t *testing.T) {
	h := read(t, lines([4]string{"0", "read", "nil", "5"})+lines([4]string{"0", "read", "nil", `"many"`})+lines([4]string{"0", "read", "nil", "9223372036854775808"}), jepsen.Options{})
	if d := cmp.Diff([]int{1, 2}, h.Objects[0].NoNumber); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
