package checker

import (
	"testing"

	"locktorture/history"
	"locktorture/internal/borders"
	"locktorture/timeline"
)

type border = borders.Border

var check = borders.Check

// emptyView is the verdict on a history without entries.
func emptyView(t *testing.T, o timeline.Options) *verdict {
	t.Helper()
	s, err := timeline.Survey(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return newVerdict(s, timeline.Connections{}, nil)
}

// leased is the lease n of client n and process n.
func leased(n int64) *timeline.Lease {
	return &timeline.Lease{Lock: &timeline.Lock{Name: "L"}, Number: n, Client: int(n), Process: int(n)}
}
