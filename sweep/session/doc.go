// Package session carries out the command sweep: spec.go has its flags and the plan that they ask
// for, run.go the trials and what is printed, ledger.go the lines that a ledger gets.
package session
