package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktorture/ledger"
)

// letters stand for outcomes: s shows, n not seen, b not built, f failed, . not tried.
func outcomes(text string) (list []string) {
	for _, r := range text {
		list = append(list, map[rune]string{'s': ledger.Shows, 'n': ledger.NotSeen, 'b': ledger.NotBuilt, 'f': ledger.Failing}[r])
	}
	return list
}

// TestPlan plays plans to their ends on libraries whose outcomes are known.
func TestPlan(t *testing.T) {
	long := strings.Repeat("n", 37) + strings.Repeat("s", 63)
	for name, tt := range map[string]struct {
		plan  plan
		truth string
		most  int    // releases that may be tried
		exact string // pairs of neighbours between which the outcome changes and that were both tried
	}{
		"it came once":               {plan{Sample: 5}, long, 5 + 5, "ns"},
		"it came and was fixed":      {plan{Sample: 5}, strings.Repeat("n", 30) + strings.Repeat("s", 40) + strings.Repeat("n", 30), 5 + 10, "ns sn"},
		"old ones do not build":      {plan{Sample: 5}, strings.Repeat("b", 45) + strings.Repeat("s", 55), 5 + 5, "bs"},
		"failed is as not built":     {plan{Sample: 2}, "ffffbbbbssss", 2 + 4, "bs"},
		"always":                     {plan{Sample: 5}, strings.Repeat("s", 50), 5, ""},
		"one release":                {plan{Sample: 5}, "s", 1, ""},
		"two releases":               {plan{Sample: 5}, "ns", 2, "ns"},
		"all":                        {plan{Sample: 2, All: true}, "nsnsnn", 6, "ns sn ns sn"},
		"a short time between is no": {plan{Sample: 2}, "nnnsnnnn", 2, ""},
	} {
		truth, known := outcomes(tt.truth), make([]string, len(tt.truth))
		tried := 0
		for i, more := tt.plan.next(known); more; i, more = tt.plan.next(known) {
			if known[i] != "" {
				t.Fatalf("%s: %d is tried again", name, i)
			}
			known[i] = truth[i]
			tried++
		}
		var exact []string
		for i := 1; i < len(known); i++ {
			if known[i] != "" && known[i-1] != "" && class(known[i]) != class(known[i-1]) {
				exact = append(exact, tt.truth[i-1:i+1])
			}
		}
		if tried > tt.most || strings.Join(exact, " ") != tt.exact {
			t.Errorf("%s: %d tried, at most %d may be; exact %q, want %q", name, tried, tt.most, exact, tt.exact)
		}
	}
}

func TestReleased(t *testing.T) {
	for _, tt := range []struct{ versions, want string }{
		{"v1.10.0 v1.9.0 v1.2.3", "v1.2.3 v1.9.0 v1.10.0"},
		{"4.2.0 5.0.0-beta.2 5.0.0-beta.10 4.3.0-beta.0", "4.2.0 4.3.0-beta.0 5.0.0-beta.2 5.0.0-beta.10"},
		{"v1.0.0-rc.1 v1.0.0 v0.9.0", "v0.9.0 v1.0.0"},
		{"v0.1.0-alpha", "v0.1.0-alpha"},
	} {
		if got := strings.Join(released(strings.Fields(tt.versions)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.versions, got, tt.want)
		}
	}
	list := []string{"v1.0.0", "v1.1.0", "v1.2.0"}
	if got := fmt.Sprint(between(list, "v1.0.1", "v1.1.9")); got != "[v1.1.0]" {
		t.Errorf("between: %s", got)
	}
	if !slices.Equal(between(list, "", ""), list) {
		t.Error("no bounds leave something out")
	}
}

// TestComplaint finds what a go or npm that failed says of the cause.
func TestComplaint(t *testing.T) {
	for said, want := range map[string]string{
		"go: downloading x v1\n# tried\n./main.go:5:2: undefined: a.B\n./main.go:6:2: c\n./main.go:7:2: d\n":                  "./main.go:5:2: undefined: a.B; ./main.go:6:2: c",
		"npm error code ETARGET\nnpm error notarget No matching version found for x@9.\nnpm error A complete log of this run": "npm error notarget No matching version found for x@9.",
		"":                    "it says nothing",
		"\x1b[31mred\x00\xff": "[31mred",
	} {
		if got := strings.TrimSpace(complaint(said)); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if got := brief(strings.Repeat("ä", 500)); len(got) > mostReason || !strings.HasSuffix(got, "ä…") {
		t.Errorf("a long reason is cut to %q", got)
	}
	for said, want := range map[string]bool{
		"dial tcp: lookup proxy: no such host": true, "reading https://proxy/x/@v/list: 503 Service Unavailable": true, "npm error code ECONNREFUSED": true,
		"npm error code E429\nnpm error 429 Too Many Requests - GET https://registry/x": true, "net/http: TLS handshake timeout": true,
		"read tcp 10.0.0.1:1->10.0.0.2:443: i/o timeout": true, "write /tmp/x: no space left on device": true,
		"undefined: x": false, "./main.go:9:2: undefined: redsync.WithTimeout": false, "./main.go:403 : too many arguments": false,
		"./main.go:7:14: undefined: syscall.ECONNRESET": false, "main.go:500 lines": false, "npm error code ETARGET": false,
	} {
		if unreachable.MatchString(said) != want {
			t.Errorf("%q: the registry is unreachable: %t", said, !want)
		}
	}
}
