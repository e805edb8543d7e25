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
	"locktorture/wire"
	"locktorture/wire/owner"
)

// A Config is everything that a trial needs.
type Config struct {
	// Run directories are named Base/<time>-<Called>.
	Base, Called string

	// Start starts or joins the servers. Their logs go into the directory.
	Start func(ctx context.Context, d *Dir) (Servers, error)
	// Meet returns the lock under test on these servers. For a driver it asks the driver for
	// its traits.
	Meet func(ctx context.Context, s Servers, d *Dir) (Lock, error)
	// Act is the activity of the trial: a Work, a script, or an app.
	Act Act

	// Driver is the name of the user's driver program, if the lock is one: a driver that never
	// reached its service is reported as the Failure, with this name. "": the lock is no
	// driver, or such a fault is no failure here.
	Driver string

	Clients int
	TTL     time.Duration // of a lease
	// Clock returns the time of the history, in ns since its start; nil means this machine's
	// clock. A run in virtual time has a clock of its own.
	Clock func() int64
	// FreeWithin is the time after which the lock of a vanished holder must be free; 0: the
	// declared time, or three TTLs if the lock declares none.
	FreeWithin time.Duration

	// Options are the caller's options for the checker: the workload's name, MinGrants,
	// Timeout, Memory, Scripted, and a Model that replaces the lock's. The lock and the act
	// determine the others.
	Options   checker.Options
	Invariant checker.Invariant // checks the final contents of the store; may be nil

	// HistoryLimit is the size in bytes at which a run is ended in order; 0: a quarter of the
	// free disk. A script has no limit.
	HistoryLimit int64
	// Wire bounds the recording of the traffic, in bytes; 0: the traffic is not recorded.
	Wire int64
	// WireAsked reports that the user chose Wire. The bound is then kept or refused; otherwise it
	// grows with the number of links.
	WireAsked bool
	// Decoder returns the decoder of a protocol, for the drawings; nil: Redis alone is decoded.
	Decoder func(protocol string) wire.Decoder
	// StopOnViolation ends a run when the first violation is seen.
	StopOnViolation bool

	Secrets  Secrets
	Commit   string           // of this program
	Versions []report.Version // of the libraries in it
	// Label, if not nil, adds to run.json what only the caller knows: names, flags, the command
	// that repeats the run. It is called when everything else is known, before the run begins.
	Label func(r *report.Run, s Setting)
	Watch Watch
}

// Servers are the running servers of a trial.
type Servers struct {
	*cluster.Cluster
	Why    string        // where the servers come from, and the reason for that choice
	Access *locks.Access // login and TLS of clients; nil: the servers require neither
	Prefix string        // prefix of every key of the trial; may be ""
	// Lines are the links over which clients reach the servers; nil: the links of the cluster.
	Lines Lines
	// Leave stops the servers, or returns them for reuse. failed reports that their state is uncertain.
	Leave func(failed bool) error
}

// A Lock is the lock under test.
type Lock struct {
	Traits locks.Traits
	// Open opens the lock of a client, see harness.Config.
	Open func(ctx context.Context, client, process int) (locks.Locker, error)
	// Prober opens a prober of the servers; nil if the servers cannot be asked.
	Prober func() (locks.Prober, error)
	// Names maps owner values on the servers to processes; nil: the values contain the process
	// names.
	Names *owner.Names
	// Tap also observes the connections of clients; nil: nothing does.
	Tap cluster.Tap

	Retry    time.Duration    // longest pause between two tries of a waiter
	Control  bool             // the lock is the control that must never be flagged
	Versions []report.Version // versions of its program; nil if the lock is built in
}

// A Watch receives the progress of a trial. Each of its functions may be nil.
type Watch struct {
	// Ready is called when everything is prepared and before the run begins.
	Ready func(r report.Run, d *Dir)
	// Progress is called about four times a second.
	Progress func(p harness.Progress)
	// Found is called with the first anomaly of each kind that shows during the run. The
	// recorder waits for it, so it must not block.
	Found func(a checker.Anomaly)
	// Full is called when the history has reached its limit, in bytes, and the run ends.
	Full func(limit int64)
	// Over is called when the activity has ended.
	Over func()
}

// An Act is the activity between the recorder and the judge.
type Act interface {
	// Plan decides what will happen to this lock in this world, and completes run.json. It may
	// write files into the directory.
	Plan(ctx context.Context, s Setting, r *report.Run) error
	// Play carries the activity out. cfg holds the settings that all acts share.
	Play(ctx context.Context, cfg harness.Config) error
	// Close releases what Plan has opened. It is called once, after the verdict.
	Close() error
}

// A Setting is everything that exists before the first entry of the history: the world in which
// an act takes place.
type Setting struct {
	Dir     *Dir
	Servers Servers
	World   *nemesis.World
	Lock    Lock
}

// Log returns the writer for the stderr of a client's process. The file is created with the
// first line.
func (d *Dir) Log(client int) io.Writer { return &lazyFile{path: d.clientLog(client)} }
