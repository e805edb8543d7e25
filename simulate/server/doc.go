// Package server runs Redis servers step by step for a simulation. A server acts only on input, at
// the time given with it, and has sent all its output when Feed returns.
//
// Stepped is an unmodified redis-server whose wall clock stands still between two steps. Embedded
// is miniredis, for machines without redis-server; it refuses commands that wait or that cause
// pushes.
package server
