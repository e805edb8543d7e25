package matrix

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

func TestMatrixTable(t *testing.T) {
	try := func(backend, nemesis string, grade checker.Grade) scorecard.Try {
		return scorecard.Try{Backend: backend, Nemesis: nemesis, State: scorecard.Tried, Result: &checker.Result{Grade: grade}}
	}
	table := newLiveTable([]string{"none", "clock", "kill-client"}, false)
	table.begin(try("redlock", "none", checker.Safe))
	table.note(try("redlock", "none", checker.Unsafe))
	table.note(try("redlock", "none", checker.Safe)) // another seed does not wash it off
	table.note(scorecard.Try{Backend: "etcd", Nemesis: "clock", State: scorecard.NotPossible})
	table.note(scorecard.Try{Backend: "etcd", Nemesis: "none", State: scorecard.HarnessFailed})
	table.begin(try("etcd-concurrency-with-a-long-name", "kill-client", checker.Safe))
	for _, tt := range []struct {
		width, most int
		want        string
	}{
		{80, 9, `lock                       none    clock   kill-cl
redlock                    unsafe  ·       ·
etcd                       failed  n/a     ·
etcd-concurrency-with-a-lo ·       ·       …`},
		{40, 1, `lock          none    clock   kill-cl
etcd-concurre ·       ·       …`}, // what does not fit is left out
		{20, 2, `lock   none
etcd   failed
etcd-c ·`},
	} {
		var got []string
		for _, l := range table.lines(tt.width, tt.most) {
			if n := len([]rune(l)); n >= tt.width {
				t.Errorf("a line of %d characters on a terminal of %d", n, tt.width)
			}
			got = append(got, strings.TrimRight(l, " "))
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("at %d × %d:\n%s\nwant\n%s", tt.width, tt.most, strings.Join(got, "\n"), tt.want)
		}
	}
	table.color = true
	if got := strings.Join(table.lines(80, 9), "\n"); !strings.Contains(got, "\x1b[31munsafe \x1b[0m") || strings.Contains(got, "\x1b[0m·") {
		t.Errorf("with colours: %q", got)
	}
}
