// Package site publishes the ledger: as static pages (Make), and with what the ledger lacks about the
// findings, which releases of a library show one (Try).
//
// The pages are a matrix of locks and faults, and a page for each lock, each fault and each finding. They
// need no server and nothing from elsewhere, and the same ledger and sources give the same bytes. Reading
// order: site.go, data.go, cell.go; matrix.go, lock.go, fault.go, finding.go (a page each), markdown.go,
// command.go, write.go.
//
// Releases are tried with the programs of findings/. Reading order: library.go (programs and the libraries
// that they are about), released.go (which releases there are), search.go (which of them is tried next),
// session.go; gomodule.go and npm.go (how a program gets another version), play.go (how it is run), serve.go.
package site
