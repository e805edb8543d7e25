package linear_test

import (
	"strings"
	"testing"

	"locktorture/checker/linear"
	"locktorture/history"
)

// What a monitor says at once, and what it lets pass.
func TestMonitor(t *testing.T) {
	const twins = "1 invoke acquire @5; 1 ok acquire @5; 2 invoke acquire @5; 2 ok acquire @5; "
	for name, c := range map[string]struct{ model, h, says string }{
		"two hold":                   {"mutex", "1 invoke acquire; 1 ok acquire; 2 invoke try; 2 ok try; 1 invoke release", "process 2 is granted the lock while process 1 surely holds it since 2"},
		"two hold at the end":        {"mutex", "1 invoke acquire; 1 ok acquire; 2 invoke try; 2 ok try", "process 2 is granted the lock while process 1 surely holds it since 2"},
		"one after the other":        {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke release; 2 invoke try; 2 ok try; 1 ok release", ""},
		"granted what it holds":      {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke try; 1 ok try", "process 1 is granted the lock that it already holds"},
		"released without a grant":   {"mutex", "1 invoke release; 1 ok release", "process 1 completes a release without a grant"},
		"renewed without a grant":    {"mutex", "1 invoke renew; 1 ok renew", "process 1 completes a renew without a grant"},
		`is answered "not held"`:     {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke release; 1 fail release server", `process 1 is answered "not held", though it was granted the lock`},
		"told so by its guard":       {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke release; 1 fail release client; 2 invoke try; 2 ok try", ""},
		"told its loss":              {"mutex", "1 invoke acquire; 1 ok acquire; 1 info lost; 2 invoke try; 2 ok try", ""},
		"told, and released":         {"mutex", "1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke renew; 1 ok renew; 1 invoke release; 1 ok release; 2 invoke try; 2 ok try", ""},
		"told in its release":        {"fenced", "1 invoke acquire; 1 ok acquire 1; 1 invoke release; 1 info lost; 1 ok release 1", ""},
		"told, and released twice":   {"mutex", "1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke release; 1 ok release; 1 invoke release; 1 ok release", "process 1 completes a release without a grant"},
		"told of an earlier one":     {"mutex", "1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke try; 1 ok try; 1 invoke release; 1 ok release; 1 invoke release; 1 ok release", "process 1 completes a release without a grant"},
		"crashed":                    {"mutex", "1 invoke acquire; 1 ok acquire; 1 info crash; 2 invoke try; 2 ok try", ""},
		"crashed in a release":       {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke release; 1 info crash; 2 invoke try; 2 ok try", ""},
		"refused":                    {"mutex", "1 invoke acquire; 1 ok acquire; 2 invoke try; 2 fail try server; 1 invoke renew; 1 ok renew", ""},
		"refused a renewal":          {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke renew; 1 fail renew server", `is answered "not held"`},
		"its guard refused one":      {"mutex", "1 invoke acquire; 1 ok acquire; 1 invoke renew; 1 fail renew client; 2 invoke try; 2 ok try", "process 2 is granted the lock while process 1"},
		"completed, never invoked":   {"mutex", "1 ok acquire; 2 invoke try; 2 ok try", ""},
		"completed as another":       {"mutex", "1 invoke acquire; 1 ok try; 2 invoke try; 2 ok try", ""},
		"tokens grow":                {"fenced", "1 invoke acquire; 1 ok acquire 1; 2 invoke try; 2 ok try 2", ""},
		"a token shrinks":            {"fenced", "1 invoke acquire; 1 ok acquire 2; 2 invoke try; 2 ok try 1", "token 1 is granted after token 2, which is not smaller"},
		"a lesser one, at once":      {"fenced", "1 invoke acquire; 2 invoke try; 1 ok acquire 2; 2 ok try 1", ""},
		"a token twice":              {"fenced", "1 invoke acquire; 2 invoke try; 1 ok acquire 2; 2 ok try 2", "token 2 is granted to process 2, but it is not a new token"},
		"no token":                   {"fenced", "1 invoke acquire; 1 ok acquire", "token 0 is granted to process 1, but it is not a new token"},
		"renewed under an old token": {"fenced", "1 invoke acquire; 1 ok acquire 1; 2 invoke try; 2 ok try 2; 1 invoke renew; 1 ok renew 1", "a renew under token 1 succeeds after token 2 was granted"},
		"released with another":      {"fenced", "1 invoke acquire; 1 ok acquire 1; 1 invoke release; 1 ok release 3", "a release succeeds with token 3, but its lease has another token"},
		"renewed before the next":    {"fenced", "1 invoke acquire; 1 ok acquire 1; 2 invoke try; 1 invoke renew; 2 ok try 2; 1 ok renew 1", ""},
		"two at one stamp, one goes": {"mutex", twins + "1 invoke release @5; 3 invoke try @6", ""},
		"of three at one stamp one":  {"mutex", twins + "3 invoke try @5; 3 ok try @5; 1 invoke release @5; 4 invoke try @6", "process 3 is granted the lock while process 2"},
		"another lock is released":   {"mutex", "3 invoke acquire /b @1; 3 ok acquire /b @1; " + twins + "3 invoke release /b @5; 4 invoke try @6", "process 2 is granted the lock while process 1"},
		"a lesser one, one stamp":    {"fenced", "1 invoke acquire @1; 1 ok acquire 5 @5; 2 invoke try @5; 2 ok try 3 @6", ""},
		"less than both, one stamp":  {"fenced", "1 invoke acquire @1; 3 invoke acquire @1; 1 ok acquire 3 @5; 3 ok acquire 5 @5; 2 invoke try @5; 2 ok try 2 @6", ""},
		"less than the one before":   {"fenced", "1 invoke acquire @1; 3 invoke acquire @1; 1 ok acquire 7 @3; 3 ok acquire 9 @5; 2 invoke try @5; 2 ok try 6 @6", "token 6 is granted after token 7, which is not smaller"},
		"refused, after expiry":      {"fenced", "1 invoke acquire; 1 ok acquire 1; 1 invoke release; 1 fail release server; 1 invoke renew; 1 ok renew", "process 1 completes a renew without a grant"},
	} {
		t.Run(name, func(t *testing.T) {
			h := steps(t, c.h)
			v := watch(t, c.model, h)
			if (v == nil) != (c.says == "") || v != nil && (!strings.Contains(v.Explanation, c.says) || v.Lock != "a") {
				t.Errorf("%+v, want %q", v, c.says)
			}
		})
	}
}

// A violation names the entries that there are, whether or not the lock has a name.
func TestMonitorNames(t *testing.T) {
	for _, lock := range []string{"a", ""} {
		h := steps(t, "1 invoke acquire; 1 ok acquire")
		h[0].Lock, h[1].Lock = lock, lock
		if v := watch(t, "fenced", h); v == nil || len(v.Ops) != 1 || v.Ops[0].Time != 2 || v.Time != 2 {
			t.Errorf("lock %q: %+v", lock, v)
		}
	}
}

// A monitor remembers so many tokens that a repetition among the latest 4096
// is found, and forgets the others.
func TestMonitorForgets(t *testing.T) {
	for repeat, want := range map[uint64]bool{904: false, 905: true, 5000: true} {
		m, err := linear.NewMonitor("fenced")
		if err != nil {
			t.Fatal(err)
		}
		at := int64(0)
		feed := func(ty history.Type, p int, token uint64) *linear.Violation {
			at++
			return m.Feed(&history.Op{Time: at, Process: p, Type: ty, F: history.Acquire, Lock: "a", Token: token})
		}
		feed(history.Invoke, 2, 0) // long under way, so that its token may be any
		for token := uint64(1); token <= 5000; token++ {
			feed(history.Invoke, 1, 0)
			if v := feed(history.OK, 1, token); v != nil {
				t.Fatalf("token %d: %+v", token, v)
			}
		}
		if v := feed(history.OK, 2, repeat); (v != nil) != want {
			t.Errorf("token %d again: %+v", repeat, v)
		}
	}
}
