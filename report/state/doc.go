// Package state says what everybody believed and had at an instant of a run: clients, servers,
// stores, and the faults in place. It rests on the history alone: on calls and answers for
// clients and stores, on probes for servers.
//
// A Tracker follows a history entry by entry and tells what changes; At is the state at one
// instant.
package state
