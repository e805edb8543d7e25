package sweep

import (
	"strings"
	"testing"
	"time"
)

const wantText = `TTL  overruns       a million sections  after a death  unavailable  renewals
1s   4 of 10 stops  800                 1 s            0.03 %       0
2s   0 of 10 stops  < 518               2 s            0.06 %       0

5 clients, sections of 2ms-5ms, long ones none, stops of 1s
a million sections  overruns, if one section in 500 is stopped
after a death       until the next grant, median
unavailable         share of the time, with one such death every 1h
renewals            for 1,000 sections, one every third of the TTL:
                    what a watchdog would send; this lock has none
`

// TestText: the table fits a terminal of 80 columns.
func TestText(t *testing.T) {
	var b strings.Builder
	r := sample(4, 0)
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), wantText+"\n"; !strings.HasPrefix(got, want) || strings.ReplaceAll(got[len(want):], "\n", " ") != r.Advice+" " {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestCurves: both curves have a point where there is something to show, and none for what was
// not seen.
func TestCurves(t *testing.T) {
	c := sample(4, 0).curves()
	if len(c.Series) != 2 || len(c.At) != 2 || c.Series[0].Values[0] == nil || c.Series[0].Values[1] != nil || *c.Series[1].Values[1] < 555 {
		t.Errorf("%+v", c)
	}
	var page strings.Builder
	if err := sample(4, 0).page(&page); err != nil || !strings.Contains(page.String(), "seconds without the lock in a million") {
		t.Errorf("%v: no chart", err)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 2 * time.Second: "2s", 500 * time.Millisecond: "500ms", 61 * time.Second: "1m1s"} {
		if got := Short(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}
