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

// A Config describes the servers and the locks of plays, and the place of their records.
type Config struct {
	Servers registry.Servers
	Locks   map[string]registry.Backend // by the names of the locks in cases
	// Meet returns the backend of a lock on running servers. o holds the settings of its clients.
	Meet func(b registry.Backend, o driver.Open, inProcess bool) func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error)

	Dir      string // directory of the run directories
	Wire     int64  // bound on the recorded traffic of each play, in bytes; 0: no recording
	Commit   string // of this program
	Versions []report.Version
	Again    func(p Play) string // the command that repeats a play

	// Program is the command cmd/guest, which plays in virtual time. nil means real time.
	Program *machine.Program
}

// A Player plays cases one after another. It must be closed.
type Player struct {
	Config
	kept  map[string]*pooled // servers, by their settings
	shown int                // number of lock names given out

	seeds   map[string]uint64 // the latest seed, by the name of a case
	stepped map[stepped][]server.Server
}

// New returns a player without servers.
func New(c Config) *Player {
	return &Player{Config: c, kept: map[string]*pooled{}, seeds: map[string]uint64{}, stepped: map[stepped][]server.Server{}}
}
