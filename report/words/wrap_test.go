package words_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/report/words"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []string
		want []string
	}{
		{"nothing", words.Wrap("lost  ", "", 20), []string{"lost  "}},
		{"just fits", words.Wrap("a  ", "three times seven", 20), []string{"a  three times seven"}},
		{"one column too long", words.Wrap("a  ", "three times seventy", 21), []string{"a  three times", "   seventy"}},
		{"signs of several bytes count once", words.Wrap("a  ", "×××–× ×–×", 12), []string{"a  ×××–× ×–×"}},
		{"a word that is longer than the line", words.Wrap("a ", "x incomprehensibilities y", 10), []string{"a x", "  incomprehensibilities", "  y"}},
		{"what belongs together", words.Wrap("a ", "x "+words.Together("257 double-grant")+" y", 17), []string{"a x", "  257 double-grant", "  y"}},
		{"a number and its unit", words.Wrap("a ", "until 4.1 s, 10 ms, 3 %; 9 sections", 11), []string{"a until", "  4.1 s,", "  10 ms,", "  3 %; 9", "  sections"}},
		{"a command", words.Command("run  ", "torture run --seed 1 --ttl 2s --x", 30), []string{`run  torture run --seed 1 \`, "       --ttl 2s --x"}},
		{"a command that fits", words.Command("run  ", "torture run --seed 1", 25), []string{"run  torture run --seed 1"}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
