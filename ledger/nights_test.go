package ledger

import (
	"maps"
	"testing"
)

// The state of an anomaly follows from the nights that could have found it.
func TestNights(t *testing.T) {
	s := Subject{Kind: Search, Lock: "redlock"}
	for name, tt := range map[string]struct {
		nights [][]string // the anomalies of each line, a day each
		want   map[string]string
	}{
		"nothing":    {[][]string{nil, nil}, map[string]string{}},
		"new":        {[][]string{nil, {"orphan"}}, map[string]string{"orphan": New}},
		"ongoing":    {[][]string{{"orphan"}, {"orphan"}, {"orphan"}}, map[string]string{"orphan": Ongoing}},
		"resolved":   {[][]string{{"orphan"}, nil, nil}, map[string]string{"orphan": Resolved}},
		"regressed":  {[][]string{{"orphan"}, nil, {"orphan"}}, map[string]string{"orphan": Regressed}},
		"since then": {[][]string{{"orphan"}, nil, {"orphan"}, {"orphan"}}, map[string]string{"orphan": Ongoing}},
		"another one was found first": {[][]string{{"orphan"}, {"deadlock"}},
			map[string]string{"orphan": New, "deadlock": New}},
	} {
		var lines []Line
		for i, anomalies := range tt.nights {
			lines = append(lines, Line{Kind: s.Kind, Lock: s.Lock, Anomalies: anomalies, Date: "2026-11-2" + string(rune('0'+i)) + "T02:00:00Z"})
		}
		if got := NewBook(lines, nil).Nights(s); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
