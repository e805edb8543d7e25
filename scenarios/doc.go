// Package scenarios holds schedules that go wrong, or do not, in a known way:
// step by step, on real servers, without luck. Every step waits until its
// effect was seen. What happened is recorded and judged as in every run, and compared
// with what the scenario says must be seen with that lock.
//
// # Reading order
//
// Read first scenario.go, then gc_pause.go, a script; stage.go and client.go are the words in
// which scripts are written, play.go carries one out, all.go lists them.
package scenarios
