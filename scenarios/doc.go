// Package scenarios holds schedules with a known result, wrong or right: step by step, on real
// servers, without chance. Every step waits until its effect was observed. The history is recorded
// and judged as in every run, and compared with the expectation of the scenario for that lock.
//
// # Reading order
//
// Read first scenario.go, then gc_pause.go, a script. stage.go shows on what a script acts: client.go,
// lease.go, links.go, servers.go and probe.go have most steps. play.go executes a script, all.go
// lists the scenarios.
package scenarios
