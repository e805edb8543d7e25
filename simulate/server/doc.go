// Package server has Redis servers that a simulation steps: they act on what they are fed, at
// the time that they are told, and have said all that they have to say when Feed returns.
//
// Stepped is a redis-server as it is, whose wall clock stands still between two steps.
// Embedded is miniredis, for machines that have no redis-server; it cannot be stepped where it
// pushes.
package server
