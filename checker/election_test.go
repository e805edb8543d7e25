package checker_test

import (
	"fmt"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// campaign is an election of a client in L, under a term; its value is "v" and the number of
// the lease.
func (b *build) campaign(client int, lease, call, ret int64, term uint64) *build {
	from := len(b.h)
	b.fenced(client, lease, call, ret, 0, term)
	b.h[from].Mode, b.h[from].Value = history.Campaign, candidate(lease)
	b.h[from+1].Mode = history.Campaign
	return b
}

func candidate(lease int64) string { return fmt.Sprintf("v%d", lease) }

// withdrawn is a campaign that was given up.
func (b *build) withdrawn(client int, lease, call, ret int64) *build {
	op := history.Op{F: history.Acquire, Lock: "L", Process: b.proc(client), Client: client, Mode: history.Campaign, Value: candidate(lease)}
	return b.add(call, ret, op, history.Fail, func(o *history.Op) { o.Refused = history.ByTime })
}

// observe is what a client is told of who leads: the candidate of a lease, 0 for nobody.
func (b *build) observe(client int, call, ret, lease int64, term uint64) *build {
	op := history.Op{F: history.Observe, Lock: "L", Process: b.proc(client), Client: client}
	return b.add(call, ret, op, history.OK, func(o *history.Op) {
		if o.Token = term; lease > 0 {
			o.Value = candidate(lease)
		}
	})
}

// Elections, without a model where the checks by themselves are meant.
var (
	electionModel = func() checker.Options {
		o := mutex
		o.Kind, o.Model, o.Tokens = locks.Election, "election", true
		return o
	}()
	election     = func() checker.Options { o := electionModel; o.Model = ""; return o }()
	watchedLeads = func() checker.Options { o := election; o.Watched = true; return o }()
	boundedLeads = func() checker.Options { o := tokened; o.Kind, o.Model = locks.Election, ""; return o }()
)

func TestTwoLeaders(t *testing.T) {
	two := map[string]int{"two-leaders": 1}
	run(t, []row{
		{"one after the other", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).campaign(2, 2, 0, 20, 2)
		}, nil},
		{"before the first had resigned", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).campaign(2, 2, 0, 19, 2)
		}, two},
		{"when its validity had ended", boundedLeads, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).ask(1, 10, 10, 2000, 2000).campaign(2, 2, 0, 2000, 2).ask(2, 2000, 2000, 3900, 3900)
		}, nil},
		{"while it lasted", boundedLeads, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).ask(1, 10, 10, 2000, 2000).campaign(2, 2, 0, 1999, 2).ask(2, 1999, 1999, 3900, 3900)
		}, two},
		{"a lesser term", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 2).release(1, 20, 21, history.OK).campaign(2, 2, 22, 30, 1)
		}, map[string]int{"token-regression": 1, "zombie-candidate": 1}},
	})
}

// Who is told that it leads must not have been succeeded by then.
func TestZombieCandidates(t *testing.T) {
	zombie := map[string]int{"zombie-candidate": 1}
	run(t, []row{
		{"its successor was seen before it was told", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).observe(3, 10, 29, 2, 2)
		}, zombie},
		{"when it was told", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).observe(3, 10, 30, 2, 2)
		}, nil},
		{"its successor had been told before", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).campaign(2, 2, 0, 20, 2).release(2, 25, 26, history.OK)
		}, zombie},
		{"its predecessor was seen", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 2).observe(3, 10, 29, 9, 1)
		}, nil},
		{"but it said at once that it is over", boundedLeads, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).over(1, 30, 31).observe(3, 10, 29, 2, 2)
		}, map[string]int{"void-grant": 1}},
		{"it was told the loss in time", watchedLeads, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).lost(1, 80).observe(3, 10, 29, 2, 2)
		}, nil},
		{"too late", watchedLeads, nil, func(b *build) {
			b.campaign(1, 1, 0, 30, 1).lost(1, 81).observe(3, 10, 29, 2, 2)
		}, zombie},
	})
}

func TestObserversDisagree(t *testing.T) {
	disagree := map[string]int{"observer-disagrees": 1}
	run(t, []row{
		{"one order", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 1).observe(4, 0, 2, 1, 1).observe(3, 3, 4, 2, 2).observe(4, 3, 5, 0, 0).observe(4, 6, 7, 2, 2)
		}, nil},
		{"a term again after the next", election, nil, func(b *build) {
			b.observe(3, 0, 1, 2, 2).observe(3, 3, 4, 1, 1)
		}, disagree},
		{"seen by another, who came late", election, nil, func(b *build) {
			b.observe(3, 0, 1, 2, 2).observe(4, 3, 4, 1, 1)
		}, nil},
		{"seen by its next life, which knows nothing", election, nil, func(b *build) {
			b.observe(3, 0, 1, 2, 2).crash(3, 2).observe(3, 3, 4, 1, 1)
		}, nil},
		{"two leaders of a term", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 1).observe(4, 0, 2, 2, 1).observe(4, 3, 4, 2, 1)
		}, disagree},
		{"not the leader that was elected", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).observe(3, 11, 12, 2, 1)
		}, disagree},
		{"no terms, one order", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 0).observe(3, 2, 3, 2, 0).observe(3, 4, 5, 3, 0).observe(4, 0, 1, 1, 0).observe(4, 2, 3, 3, 0)
		}, nil},
		{"no terms, two orders", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 0).observe(3, 2, 3, 2, 0).observe(4, 0, 1, 2, 0).observe(4, 2, 3, 1, 0)
		}, disagree},
		{"no terms, a leader again", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 0).observe(3, 2, 3, 2, 0).observe(3, 4, 5, 1, 0)
		}, disagree},
		{"nobody between is no order", election, nil, func(b *build) {
			b.observe(3, 0, 1, 1, 0).observe(3, 2, 3, 0, 0).observe(3, 4, 5, 1, 0)
		}, nil},
	})
}

// Who has resigned, or given up, leads no longer once the election must be free of it: 3 s and
// the slack.
func TestResigned(t *testing.T) {
	orphan := map[string]int{"orphan": 1}
	const soon, late = 3321, 3322
	run(t, []row{
		{"seen soon", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).observe(3, soon, soon+1, 1, 1)
		}, nil},
		{"seen long after", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).observe(3, late, late+1, 1, 1)
		}, orphan},
		{"that found nothing to resign from", election, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.Fail).observe(3, late, late+1, 1, 1)
		}, nil},
		{"a campaign that was given up", election, nil, func(b *build) {
			b.withdrawn(1, 1, 0, 21).observe(3, late, late+1, 1, 1)
		}, orphan},
		{"that was seen soon", election, nil, func(b *build) {
			b.withdrawn(1, 1, 0, 21).observe(3, soon, soon+1, 1, 1)
		}, nil},
	})
}

// The model of elections judges what candidates and observers were told together.
func TestElectionModel(t *testing.T) {
	not := map[string]int{"nonlinearizable": 1}
	blind := electionModel
	blind.Blind = true
	run(t, []row{
		{"seen while it leads", electionModel, nil, func(b *build) {
			b.observe(3, 0, 1, 0, 0).campaign(1, 1, 0, 10, 1).observe(3, 11, 12, 1, 1).release(1, 20, 21, history.OK).observe(3, 22, 23, 0, 0)
		}, nil},
		{"seen when it had resigned", electionModel, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).observe(3, 22, 23, 1, 1)
		}, not},
		{"seen when it had resigned, and was not told of what", blind, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).release(1, 20, 21, history.OK).observe(3, 22, 23, 1, 1)
		}, not},
		{"resigned after its successor had begun: the lease was over, and nobody said so", electionModel, nil, func(b *build) {
			b.campaign(1, 1, 0, 10, 1).lost(1, 12).campaign(2, 2, 0, 14, 2).release(1, 15, 16, history.OK).observe(3, 17, 18, 2, 2)
		}, map[string]int{"two-leaders": 1}},
		{"seen while it gave up", electionModel, nil, func(b *build) {
			b.withdrawn(1, 1, 0, 21).observe(3, 5, 6, 1, 1).campaign(2, 2, 0, 22, 2)
		}, nil},
		{"nobody knows it", electionModel, nil, func(b *build) {
			b.campaign(2, 2, 0, 22, 2).observe(3, 5, 6, 1, 1)
		}, not},
	})
}
