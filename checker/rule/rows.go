package rule

import (
	"slices"

	"locktorture/checker/incident"
)

// A Row is all that the checker has to know of a kind of anomaly.
type Row struct {
	Kind, Property string
	About          string // when it is found, in Markdown, for the table of docs/verdicts.md; "" for those of workloads
	At             where
	New            func(b base) rule // begins to judge one lock; nil where the rule of another kind, or an invariant, finds it too
}

// where says what a rule judges.
type where int

const (
	ofLocks    where = iota // locks, semaphores and elections
	ofBarriers              // barriers alone
	everywhere              // both
)

// Rows are all kinds of anomaly, in the order of a result. The rules are asked in this order.
func Rows() []Row {
	return []Row{
		{Kind: "double-grant", Property: incident.Exclusion,
			About: `a grant to another process returned before the promise of an earlier lease ended ([rules](#double-grant))`,
			New:   func(b base) rule { return &doubleGrant{base: b} },
		},
		{Kind: "reader-beside-writer", Property: incident.Exclusion,
			About: `the same of a reader and a writer, whichever came first. A writer that is let in beside a writer and a reader counts once as each`,
		},
		{Kind: "upgrade-gap", Property: incident.Exclusion,
			About: `another process became the writer while a lease was being upgraded or downgraded ([rules](#upgrade-gap))`,
		},
		{Kind: "over-capacity", Property: incident.Exclusion,
			About: `permits granted and still promised exceed the capacity of a semaphore ([rules](#over-capacity-and-extra-permit))`,
			New:   func(b base) rule { return &overCapacity{base: b} },
		},
		{Kind: "two-leaders", Property: incident.Exclusion,
			About: "of an election: the `double-grant` of a leadership. Of an app: two replicas certainly led at one moment ([rules](#jobs-of-an-app))",
		},
		{Kind: "zombie-candidate", Property: incident.Exclusion,
			About: `a campaign succeeded although a later term had begun ([rules](#zombie-candidate))`,
			New:   func(b base) rule { return &zombie{b} },
		},
		{Kind: "extra-permit", Property: incident.Exclusion,
			About: "as `over-capacity`, where there is one permit too many for good ([rules](#over-capacity-and-extra-permit))",
		},
		{Kind: "early-open", Property: incident.Exclusion,
			About: `*Latch*: a wait returned ok before enough parties had counted down. *Barrier*: an entry returned before enough parties had come, or a party left while another was inside ([rules](#early-open-and-double-count))`,
			At:    ofBarriers,
			New:   func(b base) rule { return &barrierOpen{b} },
		},
		{Kind: "double-count", Property: incident.Exclusion,
			About: `*Latch*: a wait returned ok early, because a party that asked again was counted again ([rules](#early-open-and-double-count))`,
		},
		{Kind: "late-notice", Property: incident.Exclusion,
			About: `of a lock that is watched and not bounded: the holder was notified too late that its lease was over ([rules](#late-notice))`,
			New:   func(b base) rule { return &lateNotice{b} },
		},
		{Kind: "void-grant", Property: incident.Exclusion,
			About: `the first report on a lease was that it is over, or nearly so ([rules](#void-grant))`,
			At:    everywhere,
			New:   func(b base) rule { return &voidGrant{b} },
		},
		{Kind: "false-validity", Property: incident.Exclusion,
			About: `the servers end a lease earlier than the validity that its holder was given ([rules](#false-validity))`,
			New:   func(b base) rule { return newFalseValidity(b) },
		},
		{Kind: "partial-grant", Property: incident.Exclusion,
			About: `the servers keep some permits of a promised lease, and not all ([below](#who-holds-what))`,
			New:   func(b base) rule { return newListedHolds(b) },
		},
		{Kind: incident.Overrun, Property: incident.Exclusion,
			About: `a holder worked on the store after its lease was over ([below](#overrun))`,
			New:   func(b base) rule { return newOverrun(b) },
		},
		{Kind: "ran-together", Property: incident.Exclusion,
			About: "of an app: a replica began a run of a job while another was certainly inside one, where one at a time is promised ([rules](#jobs-of-an-app))",
		},
		{Kind: "ran-twice", Property: incident.Exclusion,
			About: "of an app: two runs carried the same key out, where once per key is promised ([rules](#jobs-of-an-app))",
		},
		{Kind: "stale-effect", Property: incident.Exclusion,
			About: "of an app: a replica began an effect after another had begun the next run, and nothing refused it ([rules](#jobs-of-an-app))",
		},
		{Kind: "token-regression", Property: incident.Fencing,
			About: "a smaller token than one of a lease that was surely granted before, by any process. A re-entry while the promise lasts is no new grant (`token-changed`)",
			New:   func(b base) rule { return &tokenRegression{b} },
		},
		{Kind: "token-duplicate", Property: incident.Fencing,
			About: `two leases of one lock share a token, whichever was first. The same process, while it still holds, may repeat its own`,
			New:   func(b base) rule { return &tokenDuplicate{base: b} },
		},
		{Kind: "token-changed", Property: incident.Fencing,
			About: `a holder took its lock again while its promise lasted and got another token ([below](#re-entry))`,
			New:   func(b base) rule { return &tokenChanged{b} },
		},
		{Kind: "stale-accepted", Property: incident.Fencing,
			About: `the fenced store applied an operation, read or write, of a lease surely granted before another whose operation had been applied already. Tokens decide only where the times leave the order open and both leases have one. Leases of one process that share a token are not compared with each other: no fence can distinguish them`,
			New:   func(b base) rule { return &staleAccepted{base: b} },
		},
		{Kind: "fence-lockout", Property: incident.Fencing,
			About: `the fenced store refused a lease although every other lease that had used it by then was surely granted before`,
			New:   func(b base) rule { return &fenceLockout{base: b} },
		},
		{Kind: "foreign-release", Property: incident.Ownership,
			About: `a release or a renewal by A ended the lease of B: seen on the servers, or inferred from the answers ([rules](#foreign-release))`,
			New:   func(b base) rule { return &foreignRelease{base: b} },
		},
		{Kind: "extended-by-other", Property: incident.Ownership,
			About: `the end of a hold whose holder is dead or stopped moved on twice, each time while another called ([below](#who-holds-what))`,
		},
		{Kind: "deadlock", Property: incident.Liveness,
			About: "nobody can have had the lock, no fault was in place, and it could not be acquired, by anybody, by readers or by one client, for longer than `free_within` and a slack allow ([rules](#when-a-lock-is-dead)). Or two readers, with nobody else there and no fault in place, together waited that long to become the writer: one must be refused",
			New:   func(b base) rule { return newDeadlock(b) },
		},
		{Kind: "lost-permit", Property: incident.Liveness,
			About: `the same of a semaphore's permits. When a run is over the harness asks once for all of them`,
		},
		{Kind: "never-open", Property: incident.Liveness,
			About: `a latch did not open although all had counted down, or a barrier let nobody on ([rules](#never-open))`,
			At:    ofBarriers,
			New:   func(b base) rule { return &standstill{b} },
		},
		{Kind: "self-deadlock", Property: incident.Liveness,
			About: `a holder asked for its reentrant lock again, and was refused or not let in ([below](#re-entry))`,
			New:   func(b base) rule { return &selfDeadlock{base: b} },
		},
		{Kind: "starved", Property: incident.Liveness,
			About: "a client waited for a lock, in one acquire or in several that were refused one after the other, for longer than 5 s, `free_within` with its slack and fifty retry intervals, and missed 50 chances in a row ([below](#fairness))",
			New:   func(b base) rule { return newStarved(b) },
		},
		{Kind: "unfair", Property: incident.Liveness,
			About: `of a lock that declares an order: it was granted to a client before another that had surely been in the queue first ([below](#fairness))`,
			New:   func(b base) rule { return newUnfair(b) },
		},
		{Kind: "starved-writer", Property: incident.Liveness,
			About: "the same of a writer and a reader that was let in before it",
		},
		{Kind: "orphan", Property: incident.Liveness,
			About: `the servers keep the lock for a client that has released it, was refused it, or had timed out before it landed ([rules](#orphan))`,
			New:   func(b base) rule { return newOrphan(b) },
		},
		{Kind: "immortal", Property: incident.Liveness,
			About: `a lease went on being renewed after its release or its client's death ([rules](#immortal))`,
			New:   func(b base) rule { return newImmortal(b) },
		},
		{Kind: "lost", Property: incident.Liveness,
			About: "of an app: no run has carried out a requested key when the run ends; or an acknowledged effect has disappeared ([rules](#jobs-of-an-app))",
		},
		{Kind: "stuck", Property: incident.Liveness,
			About: "of an app: no run of a job began for longer than it promises, with no fault in place ([rules](#jobs-of-an-app))",
		},
		{Kind: "nonlinearizable", Property: incident.Linearizability,
			About: "the operations of a lock fit no order that its declared model allows ([checkers.md](checkers.md)); or a store is no register: judged by replaying the order in which it applied the operations, and by `checker/linear` where an operation has an unknown outcome",
		},
		{Kind: "observer-disagrees", Property: incident.Linearizability,
			About: `observers of an election saw terms or leaders in an impossible order ([rules](#observer-disagrees))`,
			New:   func(b base) rule { return &disagreement{b} },
		},
		{Kind: "lost-update", Property: incident.Workload},
		{Kind: "oversold", Property: incident.Workload},
		{Kind: "double-order", Property: incident.Workload},
		{Kind: "illegal-transition", Property: incident.Workload},
		{Kind: "duplicate-step", Property: incident.Workload},
		{Kind: "torn-write", Property: incident.Workload},
		{Kind: "duplicate-execution", Property: incident.Workload},
		{Kind: "duplicate-run", Property: incident.Workload},
		{Kind: "duplicate-id", Property: incident.Workload},
		{Kind: "shared-worker", Property: incident.Workload},
		{Kind: "duplicate-rebuild", Property: incident.Workload},
		{Kind: "out-of-order", Property: incident.Workload},
		{Kind: "lost-record", Property: incident.Workload},
		{Kind: "stale-leader", Property: incident.Workload},
		{Kind: "stale-change", Property: incident.Workload},
		{Kind: "lost-field", Property: incident.Workload},
		{Kind: "duplicate-delivery", Property: incident.Workload},
		{Kind: "foreign-value", Property: incident.Workload},
		{Kind: "torn-read", Property: incident.Workload},
		{Kind: "too-many-at-work", Property: incident.Workload},
		{Kind: "shared-connection", Property: incident.Workload},
		{Kind: "wrong-total", Property: incident.Workload},
		{Kind: "started-early", Property: incident.Workload},
		{Kind: "missing-part", Property: incident.Workload},
		{Kind: "phase-ahead", Property: incident.Workload},
	}
}

// Kinds returns the kinds of all rows.
func Kinds() []incident.Kind {
	var out []incident.Kind
	for _, r := range Rows() {
		out = append(out, incident.Kind{Name: r.Kind, Property: r.Property})
	}
	return out
}

// Names returns the names of all anomalies, in the order of Rows.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// PropertyOf returns the property that a kind of anomaly violates.
func PropertyOf(kind string) string {
	all := Kinds()
	i := slices.IndexFunc(all, func(k incident.Kind) bool { return k.Name == kind })
	if i < 0 {
		return incident.Workload // an invariant reported a kind that has no row
	}
	return all[i].Property
}
