// Package incident keeps the anomalies of a run and says which of them belong together.
//
// Each run has one Book. A rule adds its anomalies to the book's Findings, with the entries that
// prove them. The book sorts them into Chains by their leases, their store or their time. When the
// run has been judged, chains become incidents, and each incident names the fault that caused it
// or says that no fault was in place. docs/verdicts.md defines which anomalies belong together.
//
// A run can have hundreds of thousands of anomalies. The book counts all of them, and keeps as
// witnesses the first Witnesses of each kind and the first of each incident, up to Candidates.
package incident
