package scenarios

import "slices"

// A Named is a scenario with the name that selects it.
type Named struct {
	Name string
	Scenario
}

// All returns the list of scenarios, in the order in which a reader meets their ideas. Each
// includes the locks of other languages to which it applies.
func All() []Named {
	list := []Named{
		{"gc-pause", GCPause()},
		{"gc-pause-after-check", GCPauseAfterCheck()},
		{"stop-the-world", StopTheWorld()},
		{"clock-jump", ClockJump()},
		{"pause-before-replies", PauseBeforeReplies()},
		{"delayed-write", DelayedWrite()},
		{"delayed-acquire", DelayedAcquire()},
		{"fence-hole", FenceHole()},
		{"token-reread", TokenReread()},
		{"restart-without-persistence", RestartWithoutPersistence()},
		{"delayed-restart", DelayedRestart()},
		{"restart-with-persistence", RestartWithPersistence()},
		{"recheck-time", RecheckTime()},
		{"rate-skew", RateSkew()},
		{"cas-token", CASToken()},
		{"cas-not-atomic", CASNotAtomic()},
		{"crash-holder", CrashHolder()},
		{"crash-between-setnx-and-expire", CrashBetween()},
		{"foreign-del", ForeignDel()},
		{"get-then-del", GetThenDel()},
		{"stopped-release", StoppedRelease()},
		{"getset-race", GetSetRace()},
		{"getset-loser", GetSetLoser()},
		{"work-longer-than-ttl", WorkLongerThanTTL()},
		{"watchdog-stops", WatchdogStops()},
		{"watchdog-too-slow", WatchdogTooSlow()},
		{"release-twice", ReleaseTwice()},
		{"release-again", ReleaseAgain()},
		{"reentrant", Reentrant()},
		{"ignored-failure", IgnoredFailure()},
		{"forgotten-release", ForgottenRelease()},
		{"missing-row", MissingRow()},
		{"missing-index", MissingIndex()},
		{"pooled-connection", PooledConnection()},
		{"transaction-pool", TransactionPool()},
		{"left-in-the-pool", LeftInThePool()},
		{"two-nodes", TwoNodes()},
		{"lock-inside-transaction", LockInsideTransaction()},
		{"dead-waiter", DeadWaiter()},
		{"herd", Herd()},
		{"fair-skew", FairSkew()},
		{"failover", Failover()},
		{"failover-wait", FailoverWait()},
		{"sentinel-failover", SentinelFailover()},
		{"cluster-failover", ClusterFailover()},
		{"isolated-primary", IsolatedPrimary()},
		{"leader-kill", LeaderKill()},
		{"fence-regression", FenceRegression()},
		{"expired-waiter", ExpiredWaiter()},
		{"given-up-waiter", GivenUpWaiter()},
		{"clock-ahead", ClockAhead()},
		{"silent-link", SilentLink()},
		{"cut-after-create", CutAfterCreate()},
		{"lost-reply", LostReply()},
		{"shared-session", SharedSession()},
		{"stale-unlock", StaleUnlock()},
		{"same-token", SameToken()},
		{"extend-after-loss", ExtendAfterLoss()},
		{"zombie-candidate", ZombieCandidate()},
		{"ended-writer", EndedWriter()},
		{"one-mutex", OneMutex()},
		{"reader-between-writers", ReaderBetweenWriters()},
		{"resign-again", ResignAgain()},
		{"compacted-campaign", CompactedCampaign()},
		{"slot-without-session", SlotWithoutSession()},
		{"node-of-old-session", NodeOfOldSession()},
		{"late-renewal", LateRenewal()},
		{"resign-at-work", ResignAtWork()},
		{"release-of-next", ReleaseOfNext()},
		{"healthy-leader", HealthyLeader()},
	}
	for i, n := range list {
		list[i].Cases = append(slices.Clip(n.Cases), OfDrivers(n.Name)...)
	}
	return list
}
