package main

import "locktorture/scenarios"

// scenarioList is the registry of scenarios, in the order in which a reader
// meets the ideas.
func scenarioList() []namedScenario {
	return []namedScenario{
		{"gc-pause", scenarios.GCPause()},
		{"gc-pause-after-check", scenarios.GCPauseAfterCheck()},
		{"clock-jump", scenarios.ClockJump()},
		{"pause-before-replies", scenarios.PauseBeforeReplies()},
		{"delayed-write", scenarios.DelayedWrite()},
		{"fence-hole", scenarios.FenceHole()},
		{"token-reread", scenarios.TokenReread()},
		{"restart-without-persistence", scenarios.RestartWithoutPersistence()},
		{"delayed-restart", scenarios.DelayedRestart()},
		{"restart-with-persistence", scenarios.RestartWithPersistence()},
		{"recheck-time", scenarios.RecheckTime()},
		{"cas-token", scenarios.CASToken()},
		{"cas-not-atomic", scenarios.CASNotAtomic()},
		{"failover", scenarios.Failover()},
		{"fence-regression", scenarios.FenceRegression()},
	}
}
