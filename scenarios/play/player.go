package play

import (
	"context"

	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// A Play is one case of one scenario.
type Play struct {
	scenarios.Named
	Case scenarios.Case
}

// A Config says on what is played, and where that is written down.
type Config struct {
	Servers registry.Servers
	Locks   map[string]registry.Backend // by the names that cases have for them
	// Meet returns what finds a lock on running servers; o is what its clients are told.
	Meet func(b registry.Backend, o driver.Open, inProcess bool) func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error)

	Dir      string // where run directories are made
	Wire     int64  // bound of the recording of the traffic of each play, in bytes; 0: none
	Commit   string // of this program
	Versions []report.Version
	Again    func(p Play) string // the command that plays the same again

	// Program plays all in virtual time: the command cmd/guest. nil: in real time.
	Program *machine.Program
}

// A Player plays cases, one after the other. It must be closed.
type Player struct {
	Config
	kept  map[string]*pooled // servers, by what was asked for
	shown int                // lock names given out

	seeds   map[string]uint64 // the last one, by the name of a case
	stepped map[stepped][]server.Server
}

// New returns a player that has no servers yet.
func New(c Config) *Player {
	return &Player{Config: c, kept: map[string]*pooled{}, seeds: map[string]uint64{}, stepped: map[stepped][]server.Server{}}
}
