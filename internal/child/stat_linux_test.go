package child

import "testing"

// A line is cut behind the last parenthesis.
func TestParseStat(t *testing.T) {
	const rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21\n"
	for _, name := range []string{"sh", "a b", "a) T (b", ")", "", "(((", "x) Z 1 2 3"} {
		if s, ok := parseStat([]byte("42 (" + name + ")" + rest)); !ok || s.State != 'S' || s.Start != "777" || s.Ended() || s.Stopped() {
			t.Errorf("%q: %+v, %v", name, s, ok)
		}
	}
	for _, line := range []string{"", "42 (sh)", "42 (sh) S 1 2", "42 sh S", "42 (sh) SS" + rest[2:]} {
		if s, ok := parseStat([]byte(line)); ok {
			t.Errorf("%q was read as %+v", line, s)
		}
	}
}

// The leader stops first: it alone does not count, and no thread at all is no family.
func TestAll(t *testing.T) {
	for letters, want := range map[string]bool{"T": true, "TTt": true, "TS": false, "ST": false, "": false} {
		if got := all([]byte(letters), Stat.Stopped); got != want {
			t.Errorf("%q: %v", letters, got)
		}
	}
}
