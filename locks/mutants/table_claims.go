package mutants

// queueRWMutants returns the mutants of the fair read–write lock.
func queueRWMutants() []Mutant {
	return []Mutant{
		{Switch: ReaderBarges, Anomaly: "starved-writer", Broken: "A reader is let in beside readers although a writer waits, and the lock declares that it is fair.",
			Flags: []string{"--nemesis", "none", "--clients", "12", "--hold", "100ms-400ms"}, Why: "a writer must wait for longer than a request may take to its place in the queue"},
		{Switch: UpgradeLetsGo, Anomaly: "upgrade-gap", Broken: "A reader that wants to be the writer gives its hold back and waits in the queue."},
		{Switch: UpgradersWait, Anomaly: "deadlock", Broken: "When two readers both want to be the writer, neither is refused.",
			Flags: []string{"--nemesis", "none"}, Why: "two that wait for each other prove nothing while a fault is in place"},
	}
}

// readersMutants returns the mutants of the read–write lock with a TTL.
func readersMutants() []Mutant {
	return []Mutant{
		{Switch: ReaderExtendsWriter, Anomaly: "extended-by-other", Broken: "A reader that is refused gives the writer's lease a new TTL.",
			Flags: []string{"--nemesis", "kill-client", "--ttl", "1s"}, Why: whyKill + ", and a shorter TTL gives more kills in a run",
			Luck: "one section in four is a writer's, and a writer must be killed"},
		{Switch: ReadersOverlooked, Anomaly: "reader-beside-writer", Broken: "One time in 30, readers do not keep a writer out."},
		{Switch: BarsReaders, Anomaly: "deadlock", Broken: "One release in 50 of a writer bars the lock to readers for good."},
		{Switch: BarsWriters, Anomaly: "deadlock", Broken: "One release in 50 of a reader bars the lock to writers for good."},
		{Switch: FirstReaderFrees, Anomaly: "foreign-release", Broken: "The release of a reader frees the lock of all readers."},
	}
}

// permitsMutants returns the mutants of the semaphore.
func permitsMutants() []Mutant {
	return []Mutant{
		{Switch: PermitsByClient, Anomaly: "over-capacity", Broken: "Permits end by the clock of the client that asks.",
			Flags: []string{"--nemesis", "client-clock", "--hold", "2ms-5ms"},
			Why:   "on one machine all clients share a clock; and the validity of a lease that is held while it moves is not true, the twin's too"},
		{Switch: FreesTwice, Anomaly: "extra-permit", Broken: "One release in 50 gives back its permits twice."},
		{Switch: PermitLeaks, Anomaly: "lost-permit", Broken: "One release in 50 is answered, and the server keeps its permits for good."},
		{Switch: BarsPairs, Anomaly: "lost-permit", Broken: "One release in 50 bars the semaphore for good to those who ask for two permits."},
		{Switch: GrantsPart, Anomaly: "partial-grant", Broken: "A client that asks for more permits than are left gets only the rest, and believes that it has all."},
		{Switch: OneCapacity, Anomaly: "shared-connection", Broken: "A client uses the greatest capacity that it was asked for as the capacity of all semaphores.",
			Flags: []string{"--workload", "pool"}, Why: "in the other workload all semaphores have one capacity"},
	}
}

// electionMutants returns the mutants of the election.
func electionMutants() []Mutant {
	return []Mutant{
		{Switch: ResignsTwice, Anomaly: "two-leaders", Broken: "One resignation in 20 is carried out twice, and ends the leadership of the next leader too."},
		{Switch: TermRepeats, Anomaly: "token-duplicate", Broken: "One leader in 30 gets the term of the one before."},
		{Switch: TellsLoser, Anomaly: "zombie-candidate", Broken: "One candidate in 20 hears of its victory only when the next candidate already leads."},
		{Switch: ObserverCaches, Anomaly: "observer-disagrees", Broken: "One observation in ten is answered from a cache that is renewed once a second."},
	}
}
