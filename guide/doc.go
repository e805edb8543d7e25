// Package guide writes docs/choosing.md: which lock for which use, from what was measured.
//
// The prose is a template. Every verdict, rate and figure in it is looked up in the results
// (Data) when the page is written, and a look-up that finds nothing is an error: the page can
// say nothing that does not stand there.
package guide
