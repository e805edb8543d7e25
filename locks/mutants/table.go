package mutants

// A Mutant is one row of the table: a fault and the verdict on it.
type Mutant struct {
	Switch Switch
	// Family is the name of its twin.
	Family string
	// Broken describes the faulty behaviour in one sentence.
	Broken string
	// Anomaly is the anomaly that a run must name. Or lists others that it may name instead, if the
	// timing decides which one shows.
	Anomaly string
	Or      []string
	// Flags are the flags of torture run without which the fault does not show. Why gives the
	// reason.
	Flags []string
	Why   string
	// Virtual are the flags of torture explore for virtual time. nil means the workload and
	// the number of locks of Flags.
	Virtual []string
	// Luck is the reason why not every seed shows the fault, with flags that help. "" means
	// that every seed must show it.
	Luck string
}

// The families, by the names of their twins.
const (
	FamilyKey       = "key"
	FamilyWatched   = "watched"
	FamilyVague     = "vague"
	FamilyReentrant = "reentrant"
	FamilyNested    = "nested"
	FamilyQuorum    = "quorum"
	FamilyQueue     = "queue"
	FamilySession   = "session"
	FamilyQueueRW   = "queue-rw"
	FamilyReaders   = "readers"
	FamilyPermits   = "permits"
	FamilyElection  = "election"
)

// Families returns a description of each twin, in one sentence.
func Families() map[string]string {
	return map[string]string{
		FamilyKey:       "a key of one Redis with a TTL and a token, in scripts",
		FamilyWatched:   "the key with a watchdog that renews it every third of the TTL and reports its loss",
		FamilyVague:     "the key whose waiters, when they time out, do not say that they got nothing",
		FamilyReentrant: "the key that its holder may enter again",
		FamilyNested:    "the key with a watchdog, which its holder may enter again",
		FamilyQuorum:    "the key on three of five Redis",
		FamilyQueue:     "a server with a fair queue; a lease ends with its connection",
		FamilySession:   "the server with a fair queue; a session ends when its client has been silent for one TTL, and the client gets a notice",
		FamilyQueueRW:   "the server with a fair queue, where readers hold the lock beside each other",
		FamilyReaders:   "a read-write lock: a sorted set in one Redis, which has each hold with the time of its end",
		FamilyPermits:   "a semaphore: a sorted set in one Redis, which has each permit with the time of its end",
		FamilyElection:  "an election: the head of the fair queue leads; observers ask its server",
	}
}

// Mutants returns all mutants, by family.
func Mutants() []Mutant {
	var all []Mutant
	for _, family := range []struct {
		name string
		rows []Mutant
	}{
		{FamilyKey, keyMutants()}, {FamilyWatched, watchedMutants()}, {FamilyVague, vagueMutants()}, {FamilyReentrant, reentrantMutants()},
		{FamilyNested, nestedMutants()}, {FamilyQuorum, quorumMutants()}, {FamilyQueue, queueMutants()}, {FamilySession, sessionMutants()},
		{FamilyQueueRW, queueRWMutants()}, {FamilyReaders, readersMutants()}, {FamilyPermits, permitsMutants()}, {FamilyElection, electionMutants()},
	} {
		for _, m := range family.rows {
			m.Family = family.name
			all = append(all, m)
		}
	}
	return all
}

const (
	whyKill    = "only a client that dies leaves a key behind"
	whyDeath   = "only a client that dies leaves something behind"
	whyLong    = "the sections of a default run are too short for a watchdog to be needed"
	whyNotice  = "a holder that was stopped must still be at work for a while after another was granted: a fence refuses its next write and ends its work, and with fewer clients the drawn one comes to its first write in time; a shorter TTL gives more stops in a run"
	whyLatency = "without a delay the request is answered in a fraction of a millisecond"
)

// keyMutants returns the mutants of a lock that is one key of a Redis.
func keyMutants() []Mutant {
	return []Mutant{
		{Switch: WrongGrant, Anomaly: "double-grant", Broken: "One refusal in 1,500 is taken for a grant."},
		{Switch: TrySaysYes, Anomaly: "double-grant", Broken: "A try is always granted.",
			Flags: []string{"--workload", "scheduler"}, Why: "it is the workload that tries"},
		{Switch: SilenceIsYes, Anomaly: "double-grant", Broken: "A request that is not answered counts as granted.",
			Flags: []string{"--nemesis", "partition"}, Why: "a default run stops servers once or twice, one run in six never"},
		{Switch: VoidGrant, Anomaly: "void-grant", Broken: "Every request is granted immediately, but the validity is already over when the holder first asks for it."},
		{Switch: RefusesWhatLanded, Anomaly: "orphan", Broken: "One grant in 30 is answered “not acquired”.",
			Luck: "a client that is refused asks again at once, and where that call begins before the server is looked at, what was left behind may be its own"},
		{Switch: CachedGrant, Anomaly: "double-grant", Broken: "A client remembers a grant beyond its release and grants itself from memory."},
		{Switch: OwnerCollides, Anomaly: "double-grant", Broken: "All clients write the same owner value, so one client can release another's lock."},
		{Switch: IgnoresName, Anomaly: "deadlock", Broken: "All locks are one key.",
			Flags: []string{"--workload", "transfer", "--locks", "5"}, Why: "with one lock there is nothing to mix up; sections that take two locks wait for themselves"},
		{Switch: LongValidity, Anomaly: "double-grant", Broken: "The declared validity is 20 % too long."},
		{Switch: LateValidity, Anomaly: "double-grant", Broken: "The validity is counted from the reply instead of the request.",
			Flags: []string{"--nemesis", "latency", "--ttl", "500ms", "--hold", "300ms-700ms"}, Why: whyLatency + ", and a lease must be held until it ends"},
		{Switch: TTLInSeconds, Anomaly: "deadlock", Broken: "The TTL is given in milliseconds where seconds are asked for.",
			Flags: []string{"--nemesis", "kill-client"}, Why: whyKill},
		{Switch: TTLInMillis, Anomaly: "double-grant", Broken: "The TTL is given in seconds where milliseconds are asked for."},
		{Switch: ImmortalName, Anomaly: "deadlock", Broken: "For one lock name in three the key has no expiry.",
			Flags: []string{"--nemesis", "kill-client", "--locks", "5", "--ttl", "1s"}, Why: whyKill + ", there must be several names, and a shorter TTL gives more kills in a run"},
		{Switch: TokenWraps, Anomaly: "token-regression", Broken: "Tokens have eight bits.",
			Virtual: []string{"--hold", "2ms", "--think", "0s", "--duration", "1s"}}, // 256 grants are needed
		{Switch: TokenInt32, Anomaly: "token-regression", Broken: "Tokens have 31 bits, and begin close to the largest value.",
			Virtual: []string{"--hold", "2ms", "--think", "0s", "--duration", "1s"}},
		{Switch: TokenFloat, Anomaly: "token-duplicate", Broken: "Tokens are floating-point numbers of 24 bits, and begin close to the value from which they are rounded.",
			Virtual: []string{"--hold", "2ms", "--think", "0s", "--duration", "1s"}},
		{Switch: ShutsOneOut, Anomaly: "deadlock", Broken: "One client is always refused."},
		{Switch: TokenRepeats, Anomaly: "token-duplicate", Broken: "One grant in 100 gets the token of the grant before."},
		{Switch: TokenMissing, Anomaly: "fence-lockout", Broken: "One grant in 30 has token 0."},
		{Switch: TokenOfClock, Anomaly: "token-regression", Broken: "The client's wall clock is the token.",
			Flags: []string{"--nemesis", "client-clock", "--hold", "2ms-5ms"},
			Why:   "on one machine all clients share a clock; and the validity of a lease that is held while it moves is not true, the twin's too"},
		{Switch: TokenEarly, Anomaly: "token-regression", Broken: "A client draws its token before it waits for the lock."},
		{Switch: PlainDelete, Anomaly: "double-grant", Broken: "The release deletes the key, no matter who holds it."},
		{Switch: CheckThenDelete, Anomaly: "double-grant", Broken: "The release checks who holds the key, and deletes it with a second command.",
			Flags: []string{"--nemesis", "latency", "--ttl", "500ms", "--hold", "300ms-700ms"}, Why: "the lease must end between the two commands"},
		{Switch: ReleaseExtends, Anomaly: "orphan", Broken: "One release in 20 gives the key a new TTL instead of deleting it."},
		{Switch: ReleaseForgotten, Anomaly: "orphan", Broken: "One release in 20 is answered and never sent."},
		{Switch: ReleaseUnawaited, Anomaly: "orphan", Broken: "The release is answered before the server has done it.",
			Flags: []string{"--nemesis", "latency", "--ttl", "8s"}, Why: whyLatency + ", and the delay is a part of the TTL: servers are looked at every 50 ms"},
	}
}

// watchedMutants returns the mutants of the lock with a watchdog.
func watchedMutants() []Mutant {
	return []Mutant{
		{Switch: RenewalLost, Anomaly: "double-grant", Broken: "One renewal in 200 is not sent and counts as done, and the watchdog ends with it.",
			Flags:   []string{"--nemesis", "none", "--ttl", "300ms", "--hold", "600ms-700ms", "--locks", "8", "--clients", "24"},
			Why:     "some 2,000 renewals, of which about 10 are lost; six in ten of these show, where the holder asks for its validity within the TTL of the loss and another waits; stops end most leases before that",
			Virtual: []string{"--ttl", "300ms", "--hold", "600ms-700ms", "--think", "0s", "--duration", "30s"}},
		{Switch: RenewalTakesOver, Anomaly: "double-grant", Broken: "The renewal sets the key, no matter who holds it.",
			Flags: []string{"--hold", "100ms-400ms"}, Why: "what it takes over must be held long enough to be missed"},
		{Switch: RenewalDeaf, Anomaly: "double-grant", Broken: "A renewal that was refused counts as done.",
			Flags: []string{"--hold", "100ms-400ms"}, Why: whyLong, Virtual: []string{"--hold", "500ms-800ms", "--duration", "3s"}},
		{Switch: WatchdogStays, Anomaly: "immortal", Broken: "One release in 20 is answered and neither sent nor passed to the watchdog."},
	}
}

// vagueMutants returns the mutants of the lock that reports unknown outcomes for waiters.
func vagueMutants() []Mutant {
	return []Mutant{
		{Switch: NeverExpires, Anomaly: "deadlock", Broken: "No key has an expiry, and those who wait in vain do not say so.",
			Flags: []string{"--nemesis", "kill-client"}, Why: whyKill},
	}
}

// reentrantMutants returns the mutants of the reentrant lock.
func reentrantMutants() []Mutant {
	return []Mutant{
		{Switch: InnerFrees, Anomaly: "double-grant", Broken: "The release of an inner entry frees the lock.",
			Flags: []string{"--workload", "reentry"}, Why: "it is the workload that enters again"},
		{Switch: InnerDraws, Anomaly: "token-changed", Broken: "An inner entry draws a token of its own.",
			Flags: []string{"--workload", "reentry", "--nemesis", "pause", "--ttl", "500ms"},
			Why:   "it is the workload that enters again; where a server stood still for longer than the TTL the twin's entries share a token with a lease that was over"},
	}
}

// nestedMutants returns the mutants of the reentrant lock that counts its entries in the client.
func nestedMutants() []Mutant {
	return []Mutant{
		{Switch: InnerUnrenewed, Anomaly: "double-grant", Broken: "Nothing is renewed while the holder is inside an inner entry, and each renewal counts as done.",
			Flags:   []string{"--workload", "reentry", "--nemesis", "none", "--ttl", "500ms"},
			Why:     "it is the workload that enters again, an inner entry in 400 outlasts the TTL, and a shorter TTL gives more of them in a run",
			Virtual: []string{"--workload", "reentry", "--hold", "500ms-800ms", "--duration", "3s"}},
	}
}

// quorumMutants returns the mutants of the lock on the majority of several servers.
func quorumMutants() []Mutant {
	return []Mutant{
		{Switch: TwoOfFive, Anomaly: "double-grant", Broken: "Two of five nodes are enough."},
		{Switch: SilentNodeYes, Anomaly: "double-grant", Broken: "A node that does not answer counts as one that granted.",
			Flags: []string{"--nemesis", "partition"}, Why: "a default run stops servers once or twice, one run in six never"},
	}
}

// queueMutants returns the mutants of the fair lock with a queue on its server.
func queueMutants() []Mutant {
	return []Mutant{
		{Switch: LastFirst, Anomaly: "unfair", Broken: "The last in the queue is served first, although the lock declares that it is fair."},
		{Switch: Starves, Anomaly: "starved", Or: []string{"unfair"}, Broken: "One client is not served while another waits.",
			Flags: []string{"--nemesis", "none"},
			Why:   "a client counts as starved after 250 grants to the four others, which a stop of it begins anew; and a queue stands still while its holder is stopped, 20 s of a default run's 30"},
		{Switch: WakesTwo, Anomaly: "double-grant", Broken: "One release in 200 lets in two waiters."},
		{Switch: GhostWaiter, Anomaly: "deadlock", Or: []string{"orphan"}, Broken: "A waiter that timed out stays in the queue, and is served.",
			Flags: []string{"--wait", "200ms"}, Why: "a waiter must time out before it is served"},
		{Switch: OutlivesDeath, Anomaly: "deadlock", Broken: "The end of a connection frees nothing.",
			Flags: []string{"--nemesis", "kill-client"}, Why: whyDeath},
		{Switch: PlaceOfDead, Anomaly: "deadlock", Broken: "A client that dies while it waits keeps its place in the queue; once this place is at the front, the queue stands still.",
			Flags: []string{"--nemesis", "kill-client"}, Why: whyDeath},
	}
}

// sessionMutants returns the mutants of the queue whose sessions outlive their connections.
func sessionMutants() []Mutant {
	noticeFlags := []string{"--workload", "leader", "--fencing", "off", "--clients", "3", "--hold", "200ms-600ms", "--ttl", "500ms"}
	return []Mutant{
		{Switch: NoticeLate, Anomaly: "late-notice", Broken: "The notice of a session's end comes three seconds late.",
			Flags: noticeFlags, Why: whyNotice},
		{Switch: NoticeMissing, Anomaly: "late-notice", Broken: "There is no notice of a session's end.",
			Flags: noticeFlags, Why: whyNotice},
		{Switch: ReconnectForgets, Anomaly: "late-notice", Broken: "A client whose session was ended begins a new one and does not report that its locks are gone.",
			Flags: noticeFlags, Why: whyNotice},
	}
}
