// Package incident keeps the anomalies of a run and says which of them belong together.
//
// A Book is that of one run. Whoever finds anomalies adds them to Findings of that book, with
// the entries that prove them; the book puts each into a Chain, by the leases, the store or the
// time that it is about. Chains become incidents when all is found: each is put down to one of
// the faults that were in place, or to none. docs/verdicts.md says exactly what belongs together.
//
// A run can have hundreds of thousands of anomalies. All are counted. A witness is kept of the
// first Witnesses of a kind and of the first of each incident, up to Candidates.
package incident
