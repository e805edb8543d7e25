package mutants

import "locktorture/locks"

// The backend names of mutants and of their twins begin with these prefixes, followed by a switch
// or a family.
const (
	Prefix     = "mutant-"
	TwinPrefix = "twin-"
)

// A Family describes the lock that all mutants of a twin share.
type Family struct {
	Traits func() locks.Traits
	// New makes a client, which connects at its first use.
	New func(Config) locks.Locker
}

// ByName returns the families by their names.
func ByName() map[string]Family {
	return map[string]Family{
		FamilyKey:       {KeyTraits, func(c Config) locks.Locker { return NewKey(c) }},
		FamilyWatched:   {WatchedTraits, func(c Config) locks.Locker { return NewWatched(c) }},
		FamilyVague:     {KeyTraits, func(c Config) locks.Locker { return NewVague(c) }},
		FamilyReentrant: {ReentrantTraits, func(c Config) locks.Locker { return NewReentrant(c) }},
		FamilyNested:    {NestedTraits, func(c Config) locks.Locker { return NewNested(c) }},
		FamilyQuorum:    {QuorumTraits, func(c Config) locks.Locker { return NewQuorum(c) }},
		FamilyQueue:     {QueueTraits, func(c Config) locks.Locker { return NewQueue(c) }},
		FamilySession:   {SessionTraits, func(c Config) locks.Locker { return NewSession(c) }},
		FamilyQueueRW:   {QueueRWTraits, func(c Config) locks.Locker { return NewQueueRW(c) }},
		FamilyReaders:   {ReadersTraits, func(c Config) locks.Locker { return NewReaders(c) }},
		FamilyPermits:   {PermitsTraits, func(c Config) locks.Locker { return NewPermits(c) }},
		FamilyElection:  {QueueElectionTraits, func(c Config) locks.Locker { return NewQueueElection(c) }},
	}
}
