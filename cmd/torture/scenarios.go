package main

import "locktorture/scenarios"

// scenarioList is the registry of scenarios, in the order in which a reader
// meets the ideas.
func scenarioList() []namedScenario {
	return withDrivers([]namedScenario{
		{"gc-pause", scenarios.GCPause()},
		{"gc-pause-after-check", scenarios.GCPauseAfterCheck()},
		{"stop-the-world", scenarios.StopTheWorld()},
		{"clock-jump", scenarios.ClockJump()},
		{"pause-before-replies", scenarios.PauseBeforeReplies()},
		{"delayed-write", scenarios.DelayedWrite()},
		{"delayed-acquire", scenarios.DelayedAcquire()},
		{"fence-hole", scenarios.FenceHole()},
		{"token-reread", scenarios.TokenReread()},
		{"restart-without-persistence", scenarios.RestartWithoutPersistence()},
		{"delayed-restart", scenarios.DelayedRestart()},
		{"restart-with-persistence", scenarios.RestartWithPersistence()},
		{"recheck-time", scenarios.RecheckTime()},
		{"rate-skew", scenarios.RateSkew()},
		{"cas-token", scenarios.CASToken()},
		{"cas-not-atomic", scenarios.CASNotAtomic()},
		{"crash-holder", scenarios.CrashHolder()},
		{"crash-between-setnx-and-expire", scenarios.CrashBetween()},
		{"foreign-del", scenarios.ForeignDel()},
		{"get-then-del", scenarios.GetThenDel()},
		{"getset-race", scenarios.GetSetRace()},
		{"work-longer-than-ttl", scenarios.WorkLongerThanTTL()},
		{"watchdog-stops", scenarios.WatchdogStops()},
		{"release-twice", scenarios.ReleaseTwice()},
		{"reentrant", scenarios.Reentrant()},
		{"ignored-failure", scenarios.IgnoredFailure()},
		{"forgotten-release", scenarios.ForgottenRelease()},
		{"missing-row", scenarios.MissingRow()},
		{"missing-index", scenarios.MissingIndex()},
		{"dead-waiter", scenarios.DeadWaiter()},
		{"herd", scenarios.Herd()},
		{"failover", scenarios.Failover()},
		{"failover-wait", scenarios.FailoverWait()},
		{"leader-kill", scenarios.LeaderKill()},
		{"fence-regression", scenarios.FenceRegression()},
		{"expired-waiter", scenarios.ExpiredWaiter()},
		{"given-up-waiter", scenarios.GivenUpWaiter()},
		{"clock-ahead", scenarios.ClockAhead()},
		{"silent-link", scenarios.SilentLink()},
		{"cut-after-create", scenarios.CutAfterCreate()},
		{"lost-reply", scenarios.LostReply()},
		{"shared-session", scenarios.SharedSession()},
		{"same-token", scenarios.SameToken()},
		{"extend-after-loss", scenarios.ExtendAfterLoss()},
	})
}
