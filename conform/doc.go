// Package conform asks whether an object store carries out conditional puts as one step.
//
// Clients send bursts of puts at once: with If-None-Match to a key that is not there, with
// If-Match and the ETag that all of them have read. Each value is new, so of each burst one put
// can have won. The requests go through links of this process, which make some of them slow or
// lose them. All requests and answers are recorded as a history of compare-and-set registers,
// in the form of Jepsen, which checker/bare judges: one register for each key. All endpoints of
// a test belong to one store.
//
// Reading order: config.go, run.go, burst.go, client.go; then history.go, judge.go, text.go.
package conform
