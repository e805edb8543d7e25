package trial

import (
	"context"
	"io"
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/report"
	"locktorture/wire/owner"
)

// A Config is everything that a trial needs.
type Config struct {
	// Base is where the run directory is made, which begins with the time and goes on with
	// Called.
	Base, Called string

	// Start starts, or joins, the servers. Logs go into the directory.
	Start func(ctx context.Context, d *Dir) (Servers, error)
	// Meet returns the lock that is tried on these servers. A driver is asked here what it
	// declares.
	Meet func(ctx context.Context, s Servers, d *Dir) (Lock, error)
	// Act is what happens: Work, or a script.
	Act Act

	// Driver is the name of the user's program that is the lock: a driver.Error is the Failure
	// of one that never reached its service. "": the lock is none, or that is no failure here.
	Driver string

	Clients int
	TTL     time.Duration // of a lease
	// Clock is that of the history, in ns since its start; nil: this machine's. A run in
	// virtual time has its own.
	Clock func() int64
	// FreeWithin is the time after which a lock whose holder is gone must be free; 0: what the
	// lock declares, else three TTLs.
	FreeWithin time.Duration

	// Options are what the caller says of how it is judged: the workload's name, MinGrants,
	// Timeout, Memory, Scripted, a Model that is not that of the lock. The rest comes from the
	// lock and the act.
	Options   checker.Options
	Invariant checker.Invariant // of what the workload left in the store; may be nil

	// HistoryLimit ends a run in order when its history has so many bytes; 0: a quarter of the
	// free disk. A script has no limit.
	HistoryLimit int64
	// Wire bounds the recording of the traffic, in bytes; 0: nothing is recorded.
	Wire int64
	// WireAsked says that the user has named this bound: it is kept, or refused. Else it grows
	// with the links.
	WireAsked bool
	// StopOnViolation ends a run when the first violation is seen.
	StopOnViolation bool

	Secrets  Secrets
	Commit   string           // of this program
	Versions []report.Version // of the libraries in it
	// Label adds to run.json what only the caller knows: names, flags, the command that runs
	// it again. It is called when all else is known, before anything happens; may be nil.
	Label func(r *report.Run, s Setting)
	Watch Watch
}

// Servers are the servers of a trial, running.
type Servers struct {
	*cluster.Cluster
	Why    string        // where they come from, and why from there
	Access *locks.Access // how clients get into them; nil: they are open to everybody
	Prefix string        // of every key of the trial; "": none
	// Lines are the links over which clients reach them; nil: those of the cluster.
	Lines Lines
	// Leave ends them, or gives them back; failed tells that their state is in doubt.
	Leave func(failed bool) error
}

// A Lock is what is tried.
type Lock struct {
	Traits locks.Traits
	// Open opens the lock of a client, see harness.Config.
	Open func(ctx context.Context, client, process int) (locks.Locker, error)
	// Prober looks at the servers; nil: they cannot be asked.
	Prober func() (locks.Prober, error)
	// Names names the owners that the servers have; nil: they have the names of their processes.
	Names *owner.Names

	Retry    time.Duration    // longest pause between two tries of a waiter
	Control  bool             // it is the control that is never accused
	Versions []report.Version // of its program, if it is one
}

// A Watch is told how a trial goes. Each of its functions may be nil.
type Watch struct {
	// Ready: everything is there, and nothing has happened yet.
	Ready func(r report.Run, d *Dir)
	// Progress is called about four times a second.
	Progress func(p harness.Progress)
	// Found is called with the first anomaly of each kind that can be seen while the run goes
	// on, while an entry is recorded: it must not wait.
	Found func(a checker.Anomaly)
	// Full: the history has reached its limit of so many bytes, and the run ends.
	Full func(limit int64)
	// Over: nothing happens any more.
	Over func()
}

// An Act is what happens between the recorder and the judge.
type Act interface {
	// Plan decides what will happen in this world with this lock, and completes run.json. It
	// may write into the directory.
	Plan(ctx context.Context, s Setting, r *report.Run) error
	// Play lets it happen. cfg has what is the same for all acts.
	Play(ctx context.Context, cfg harness.Config) error
	// Close ends what Plan has opened. It is called once, when the verdict was told.
	Close() error
}

// A Setting is where an act takes place: all that there is before the first entry of the
// history.
type Setting struct {
	Dir     *Dir
	Servers Servers
	World   *nemesis.World
	Lock    Lock
}

// Log is where the process of a client writes what it has to say. The file is made with its
// first line.
func (d *Dir) Log(client int) io.Writer { return &lazyFile{path: d.clientLog(client)} }
