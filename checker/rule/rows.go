package rule

import (
	"slices"

	"locktorture/checker/incident"
)

// A Row holds all that the checker has to know about a kind of anomaly.
type Row struct {
	Kind, Property string
	About          string // when it is found, in Markdown, for docs/verdicts.md; "" for the kinds of workloads
	At             where
	New            func(b base) rule // begins to judge one lock; nil if another rule or an invariant finds this kind
}

// where says what a rule judges.
type where int

const (
	ofLocks    where = iota // locks, semaphores and elections
	ofBarriers              // barriers alone
	everywhere              // both
)

// Rows returns all kinds of anomalies, in the order of a result. The rules are asked in this
// order.
func Rows() []Row {
	return []Row{
		{Kind: "double-grant", Property: incident.Exclusion,
			About: `a grant to another process returned before the promise of an earlier lease ended ([rules](#double-grant))`,
			New:   func(b base) rule { return &doubleGrant{base: b} },
		},
		{Kind: "reader-beside-writer", Property: incident.Exclusion,
			About: `a grant to a reader returned before a writer's promise ended, or a grant to a writer before a reader's promise ended ([rules](#double-grant))`,
		},
		{Kind: "upgrade-gap", Property: incident.Exclusion,
			About: `another process became the writer while a lease was being upgraded or downgraded ([rules](#upgrade-gap))`,
		},
		{Kind: "over-capacity", Property: incident.Exclusion,
			About: `the permits promised at one moment exceeded the capacity of a semaphore ([rules](#over-capacity-and-extra-permit))`,
			New:   func(b base) rule { return &overCapacity{base: b} },
		},
		{Kind: "two-leaders", Property: incident.Exclusion,
			About: "*Election*: another candidate was elected before the promise of an earlier leader ended. *App*: two replicas certainly led at one moment ([rules](#jobs-of-an-app))",
		},
		{Kind: "zombie-candidate", Property: incident.Exclusion,
			About: `a campaign succeeded although a later term had begun ([rules](#zombie-candidate))`,
			New:   func(b base) rule { return &zombie{b} },
		},
		{Kind: "extra-permit", Property: incident.Exclusion,
			About: "a permit was granted although one lease still held all permits of a semaphore. No fault explains this: the semaphore has one permit too many ([rules](#over-capacity-and-extra-permit))",
		},
		{Kind: "early-open", Property: incident.Exclusion,
			About: `*Latch*: a wait returned ok before enough parties had counted down. *Barrier*: an entry returned before enough parties had come, or a party left while another was inside ([rules](#early-open-and-double-count))`,
			At:    ofBarriers,
			New:   func(b base) rule { return &barrierOpen{b} },
		},
		{Kind: "double-count", Property: incident.Exclusion,
			About: `*Latch*: a wait returned ok too early, because one party's repeated count-down was counted again ([rules](#early-open-and-double-count))`,
		},
		{Kind: "late-notice", Property: incident.Exclusion,
			About: `a lock that reports losses, but no validity, notified a holder too late that its lease was over ([rules](#late-notice))`,
			New:   func(b base) rule { return &lateNotice{b} },
		},
		{Kind: "void-grant", Property: incident.Exclusion,
			About: `the first report on a lease said that the lease was over, or nearly over ([rules](#void-grant))`,
			At:    everywhere,
			New:   func(b base) rule { return &voidGrant{b} },
		},
		{Kind: "false-validity", Property: incident.Exclusion,
			About: `the servers end a lease earlier than its holder was told ([rules](#false-validity))`,
			New:   func(b base) rule { return newFalseValidity(b) },
		},
		{Kind: "partial-grant", Property: incident.Exclusion,
			About: `the servers keep only some permits of a promised lease ([below](#who-holds-what))`,
			New:   func(b base) rule { return newListedHolds(b) },
		},
		{Kind: incident.Overrun, Property: incident.Exclusion,
			About: `a holder worked on the store after its lease was over ([below](#overrun))`,
			New:   func(b base) rule { return newOverrun(b) },
		},
		{Kind: "ran-together", Property: incident.Exclusion,
			About: "*App*: a job promises one run at a time, but a replica began a run while another replica was certainly inside a run ([rules](#jobs-of-an-app))",
		},
		{Kind: "ran-twice", Property: incident.Exclusion,
			About: "*App*: a job promises one run for each key, but two runs did the work of the same key ([rules](#jobs-of-an-app))",
		},
		{Kind: "stale-effect", Property: incident.Exclusion,
			About: "*App*: a replica began an effect after another replica had begun the next run, and nothing refused the effect ([rules](#jobs-of-an-app))",
		},
		{Kind: "token-regression", Property: incident.Fencing,
			About: "a lease has a smaller token than another lease that was surely granted before it. A re-entry that gets another token while the outer promise lasts is `token-changed` instead ([rules](#token-regression-and-token-duplicate))",
			New:   func(b base) rule { return &tokenRegression{b} },
		},
		{Kind: "token-duplicate", Property: incident.Fencing,
			About: `two leases of one lock have the same token. A holder that takes its lock again may get the same token ([rules](#token-regression-and-token-duplicate))`,
			New:   func(b base) rule { return &tokenDuplicate{base: b} },
		},
		{Kind: "token-changed", Property: incident.Fencing,
			About: `a holder took its lock again while its promise lasted, and got another token ([below](#re-entry))`,
			New:   func(b base) rule { return &tokenChanged{b} },
		},
		{Kind: "stale-accepted", Property: incident.Fencing,
			About: `the fenced store applied an operation of an older lease after an operation of a newer lease. If the times of the grants do not show which lease is older, the tokens decide ([rules](#stale-accepted))`,
			New:   func(b base) rule { return &staleAccepted{base: b} },
		},
		{Kind: "fence-lockout", Property: incident.Fencing,
			About: `the fenced store refused the newest lease, although every other lease that had used the store was surely granted earlier`,
			New:   func(b base) rule { return &fenceLockout{base: b} },
		},
		{Kind: "foreign-release", Property: incident.Ownership,
			About: `a release or a renewal by A ended the lease of B. The servers showed this, or the answers imply it ([rules](#foreign-release))`,
			New:   func(b base) rule { return &foreignRelease{base: b} },
		},
		{Kind: "extended-by-other", Property: incident.Ownership,
			About: `the lease of a dead or paused holder was prolonged twice, each time during a call of another client ([below](#who-holds-what))`,
		},
		{Kind: "deadlock", Property: incident.Liveness,
			About: "no fault was in place and nobody can have had the lock, yet clients could not acquire it within `free_within` plus slack ([rules](#when-a-lock-is-dead)). It is also a deadlock if two readers both waited that long to become the writer",
			New:   func(b base) rule { return newDeadlock(b) },
		},
		{Kind: "lost-permit", Property: incident.Liveness,
			About: "some permits of a semaphore were certainly free, yet clients could not acquire them. The time limit is the same as for `deadlock`. At the end of a run, the harness asks once for all permits",
		},
		{Kind: "never-open", Property: incident.Liveness,
			About: `a latch did not open although all parties had counted down, or a barrier let nobody in or out ([rules](#never-open))`,
			At:    ofBarriers,
			New:   func(b base) rule { return &standstill{b} },
		},
		{Kind: "self-deadlock", Property: incident.Liveness,
			About: `a holder asked for its reentrant lock again, and was refused or had to wait too long ([below](#re-entry))`,
			New:   func(b base) rule { return &selfDeadlock{base: b} },
		},
		{Kind: "starved", Property: incident.Liveness,
			About: "a client missed 50 chances in a row to get a lock. Its waits and refused calls together lasted at least 5 s, at least `free_within` plus its slack, and at least fifty retry intervals ([below](#fairness))",
			New:   func(b base) rule { return newStarved(b) },
		},
		{Kind: "unfair", Property: incident.Liveness,
			About: `a lock that declares an order was granted to one client although another client was surely before it in the queue ([below](#fairness))`,
			New:   func(b base) rule { return newUnfair(b) },
		},
		{Kind: "starved-writer", Property: incident.Liveness,
			About: "a lock that declares an order let a reader in although a writer was surely before it in the queue ([below](#fairness))",
		},
		{Kind: "orphan", Property: incident.Liveness,
			About: `the servers keep the lock for a client that released it, was refused it, or timed out before its acquire arrived ([rules](#orphan))`,
			New:   func(b base) rule { return newOrphan(b) },
		},
		{Kind: "immortal", Property: incident.Liveness,
			About: `a lease was still renewed after its release or its client's death ([rules](#immortal))`,
			New:   func(b base) rule { return newImmortal(b) },
		},
		{Kind: "lost", Property: incident.Liveness,
			About: "*App*: no run did the work of a requested key, or an acknowledged effect has disappeared ([rules](#jobs-of-an-app))",
		},
		{Kind: "stuck", Property: incident.Liveness,
			About: "*App*: no fault was in place, but the next run of a job did not begin within the time that the job promises ([rules](#jobs-of-an-app))",
		},
		{Kind: "nonlinearizable", Property: incident.Linearizability,
			About: "the lock's operations fit no order that its declared model allows ([checkers.md](checkers.md)), or a store does not behave like a register. A store is judged by its recorded order of operations. If an outcome is unknown, `checker/linear` searches for an order",
		},
		{Kind: "observer-disagrees", Property: incident.Linearizability,
			About: `observers of an election saw a term after a later term, two leaders in one term, or leaders in opposite orders ([rules](#observer-disagrees))`,
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
