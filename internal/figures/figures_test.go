package figures_test

import (
	"testing"

	"locktorture/internal/figures"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if got := figures.Count(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
	if one, many := figures.Plural(1, "grant", "grants"), figures.Plural(2098, "grant", "grants"); one != "1 grant" || many != "2,098 grants" {
		t.Errorf("%q and %q", one, many)
	}
}
