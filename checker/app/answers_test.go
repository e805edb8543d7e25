package app_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/timeline"
)

// leader is a job that is seen by answers.
var leader = timeline.Job{Name: "payout", OneAtATime: timeline.OneRun, Leads: true, Effects: true, Ends: true, AgainWithin: 5 * time.Second}

// said adds an answer of yes, in the run of the client's number.
func (s *story) said(asked, ms int64, client int, term uint64) *story {
	s.job(ms, client, int64(client), history.JobEffect, "", asked)
	s.ops[len(s.ops)-1].Value = "while"
	return s.token(term)
}

// TestAnswers has answers of two replicas on either side of each border.
func TestAnswers(t *testing.T) {
	turns := func(n int, every int64) *story {
		s := tell()
		for i := range int64(n) {
			s.said(10+i*every, 12+i*every, 1+int(i%2), 0)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		term  time.Duration
		h     history.History
		two   int
		grade checker.Grade
	}{
		{"three in turn within a term", 100 * time.Millisecond, turns(3, 48).over(4000), 1, checker.Unsafe},
		{"two", 100 * time.Millisecond, turns(2, 40).over(4000), 0, checker.Safe},
		{"three, not within a term", 98 * time.Millisecond, turns(3, 48).over(4000), 0, checker.Safe},
		{"the second ended meanwhile", 100 * time.Millisecond, tell().said(10, 12, 1, 0).said(50, 52, 2, 0).crash(60, 2, 59).said(80, 82, 1, 0).over(4000), 0, checker.Safe},
		{"a hundred are one anomaly", 100 * time.Millisecond, turns(100, 10).over(4000), 1, checker.Unsafe},
		{"without a term", 0, turns(100, 10).over(4000), 0, checker.Unknown},
		{"each a second after the other", 0, turns(10, 1000).over(12000), 0, checker.Safe},
		{"the same term around another", 0, tell().said(10, 11, 1, 4).said(12, 13, 2, 5).said(14, 15, 1, 4).over(400), 1, checker.Unsafe},
		{"the other was asked before", 0, tell().said(10, 11, 1, 4).said(11, 13, 2, 5).said(12, 15, 1, 4).over(400), 0, checker.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := leads(t, c.h, c.term); r.Counts.Anomalies["two-leaders"] != c.two || r.Grade != c.grade {
				t.Errorf("%s: %s, want %s, found %v", r.Grade, r.Sentence, c.grade, r.Counts.Anomalies)
			}
		})
	}
}

func leads(t *testing.T, h history.History, term time.Duration) checker.Result {
	t.Helper()
	leader := leader
	leader.Term = term
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	return checker.Check(h, timeline.Options{Kind: timeline.AppKind, Jobs: []timeline.Job{leader}, MinGrants: 1}, nil)
}

// TestAnswersHeldBack: three replicas lead by turns, never two at once, each for 130 ms or longer.
// What they say is held back, on its way to them and back. Nothing is claimed, whatever the delays. If
// one goes on to lead beside the others for a second, that is found where nothing is held back.
func TestAnswersHeldBack(t *testing.T) {
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		held := []int64{1, 30, 400}[seed%3]
		for _, both := range []bool{false, true} {
			s := tell()
			led := 0
			for at, until := int64(500), int64(0); at < 6000; at++ {
				if at >= until {
					led, until = 1+draw.IntN(3), at+130+draw.Int64N(400)
				}
				for client := 1; client <= 3; client++ {
					yes := client == led
					if both && at > 2000 && at < 3500 {
						yes = client != 2
					}
					if yes && (at+int64(client)*7)%20 == 0 {
						s.said(at-draw.Int64N(held), at+draw.Int64N(held), client, 0)
					}
				}
			}
			slices.SortStableFunc(s.ops, func(a, b history.Op) int { return int(a.Time - b.Time) })
			found := leads(t, s.over(8000), 130*time.Millisecond).Counts.Anomalies["two-leaders"]
			if !both && found > 0 || both && found == 0 && held == 1 {
				t.Errorf("seed %d, both %v, held back by up to %d ms: found %d", seed, both, held, found)
			}
		}
	}
}
