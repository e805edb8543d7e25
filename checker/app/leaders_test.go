package app_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/timeline"
)

// acked adds an effect that a session acknowledged.
func (s *story) acked(asked, ms int64, client int, session int64, key string) *story {
	return s.job(ms, client, session, history.JobEffect, key, asked)
}

// kept adds a key that is there in the end; without a key, that is all.
func (s *story) kept(ms int64, key string) *story {
	return s.add(ms, history.Op{Process: history.Harness, F: history.Job, Lock: "payout", Mode: history.JobKept, Key: key})
}

// looked makes the last entry one of what began to be read then.
func (s *story) looked(ms int64) *story {
	s.ops[len(s.ops)-1].UntilMin = ms * 1e6
	return s
}

// TestLeaders has acknowledged effects of sessions on either side of each border.
func TestLeaders(t *testing.T) {
	for _, c := range []struct {
		name      string
		h         history.History
		two, lost int
		grade     checker.Grade
	}{
		{"one after another", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 1, 1, "b").acked(14, 15, 2, 2, "c").kept(16, "a").kept(16, "b").kept(16, "c").kept(17, "").over(40), 0, 0, checker.Safe},
		{"a, b, a", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 2, 2, "b").acked(14, 15, 1, 1, "c").kept(16, "a").kept(16, "b").kept(16, "c").kept(17, "").over(40), 1, 0, checker.Unsafe},
		{"a, b, a on two connections", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 2, 2, "b").acked(14, 15, 1, 3, "c").kept(16, "a").kept(16, "b").kept(16, "c").kept(17, "").over(40), 0, 0, checker.Safe},
		{"the requests overlap", tell().acked(10, 12, 1, 1, "a").acked(11, 14, 2, 2, "b").acked(13, 15, 1, 1, "c").kept(16, "a").kept(16, "b").kept(16, "c").kept(17, "").over(40), 0, 0, checker.Unknown},
		{"one replica beside itself", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 1, 2, "b").acked(14, 15, 1, 1, "c").kept(16, "a").kept(16, "b").kept(16, "c").kept(17, "").over(40), 0, 0, checker.Safe},
		{"an effect is gone", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 1, 1, "b").acked(14, 15, 2, 2, "c").kept(16, "a").kept(16, "c").kept(17, "").over(40), 0, 1, checker.Safe},
		{"an effect came after the reading began", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 1, 1, "b").acked(14, 15, 2, 2, "c").kept(16, "a").kept(16, "b").looked(14).kept(17, "").over(40), 0, 0, checker.Safe},
		{"what is left was not read whole", tell().acked(10, 11, 1, 1, "a").acked(12, 13, 1, 1, "b").acked(14, 15, 2, 2, "c").kept(16, "a").kept(16, "c").over(40), 0, 0, checker.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := history.Validate(c.h); err != nil {
				t.Fatal(err)
			}
			job := timeline.Job{Name: "payout", OneAtATime: timeline.OneRun, NoneLost: true, Leads: true, Kept: true, Effects: true}
			r := checker.Check(c.h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{job}, MinGrants: 1}, nil)
			if found := r.Counts.Anomalies; found["two-leaders"] != c.two || found["lost"] != c.lost || len(found) != min(c.two, 1)+min(c.lost, 1) || r.Grade != c.grade {
				t.Errorf("%s: %s, want %s, found %v", r.Grade, r.Sentence, c.grade, found)
			}
		})
	}
}
