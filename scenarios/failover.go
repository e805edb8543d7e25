//go:build !wasip1 && !simulated

package scenarios

// Failover returns the scenario of a replica that does not know the lock.
func Failover() Scenario {
	return Scenario{
		Title:  "a replica is promoted that has not received the lock",
		Source: "the Redlock page of the Redis manual",
		Shows:  "Redis replicates after it has answered, so a new primary may not know what the old one promised.",
		Story: "The replicas are cut off. Client 1 takes the lock on the primary, which is then killed; a replica is promoted. Client 2 takes the lock " +
			"there while client 1's is valid.",
		Lesson: "With asynchronous replicas, a lock lasts only as long as its primary.",
		Cases: []Case{
			{Backend: "redis-set", Replicated: true, Variant: "replicas cut off", Expect: "unsafe+double-grant"},
			{Backend: "redis-watchdog", Replicated: true, Variant: "replicas cut off", Expect: "unsafe+double-grant"},
			{Backend: "redis-set", Replicated: true, Variant: inSync, Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		TTL:  longTTL,
		Play: func(s *Stage) { failOver(s, (*Replicas).Failover) },
	}
}

// inSync is the variant of a fail-over whose replicas have all data of the primary.
const inSync = "replicas in sync"

// failOver executes a fail-over while client 1 holds the lock, and a request of client 2.
func failOver(s *Stage, strike func(*Replicas)) {
	c1, c2 := s.Client(1), s.Client(2)
	c2.Warm()
	r := s.Replicas()
	if s.Case.Variant == inSync {
		l1 := c1.Acquire()
		r.UntilSynced()
		r.aim()
		strike(r)
		first := c2.Take(s.beside())
		r.Windows(l1, nil, first)
		l2 := c2.Try()
		s.Fact("client 2 was refused", l2 == nil)
		l2.Release()
		first.Release()
		l1.Release()
		return
	}
	r.Cut()
	l1 := c1.Acquire()
	r.UntilAhead()
	waiter := c2.InsistLater()
	strike(r)
	l2 := waiter.Wait()
	r.Windows(l1, l2, l2)
	l2.Release()
	l1.Release()
}

// beside returns the name of another lock, which a Redis Cluster stores in the same shard.
func (s *Stage) beside() string { return "beside.{lock:" + s.Lock + "}" }

// FenceRegression returns the scenario of a counter of tokens that falls back with the fail-over.
func FenceRegression() Scenario {
	return Scenario{
		Title:  "a token is given twice, because its counter was on a replica that lagged",
		Source: "follows from Kleppmann, \"How to do distributed locking\" (2016)",
		Shows:  "Tokens from a replicated Redis are as unsafe as its lock.",
		Story: "Client 2 takes the lock and releases it (token 1). The replicas, which have seen that, are cut off. Client 1 takes the lock (token 2) " +
			"and writes. A replica is promoted, and client 2 takes the lock there: token 2 again. The store cannot distinguish them.",
		Lesson: "Take tokens from a service that forgets none, such as a consensus service.",
		Cases: []Case{
			{Backend: "redis-fenced", Replicated: true, Fenced: true, Expect: "unsafe+double-grant+token-duplicate+lost-update"},
		},
		TTL: longTTL,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c2.Acquire().Release()
			r := s.Replicas()
			r.UntilSynced()
			r.Cut()
			l1 := c1.Acquire()
			n := l1.Read()
			r.UntilAhead()
			r.Failover()
			l2 := c2.Acquire()
			r.Windows(l1, l2, l2)
			n2 := l2.Read()
			l1.Write(n + 1)
			l2.Write(n2 + 1)
			l2.Release()
		},
	}
}
