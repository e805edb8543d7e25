package runs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/internal/cgroup"
	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// A LedgerSpec is what the flags say about the ledger.
type LedgerSpec struct{ Ledger string }

// Register adds the flag.
func (s *LedgerSpec) Register(f *pflag.FlagSet) {
	f.StringVar(&s.Ledger, "ledger", "", "`directory` of a ledger, to which each run adds a line (docs/ledger.md); needs torture's source code")
}

// A Bookkeeper adds runs to a ledger. The nil Bookkeeper has none, and does nothing.
type Bookkeeper struct {
	commit string
	dir    string
	root   string // of the source
	tree   *ledger.Sources
	before float64 // load before the run under way
	spent  cgroup.Work
	began  time.Time
}

// Bookkeeper returns the writer of the ledger that the flags name, nil for none. commit names the source
// of this build. A program that is not built from the source beside it is an error, because its lines
// would name the wrong version.
func (s LedgerSpec) Bookkeeper(commit string) (*Bookkeeper, error) {
	if s.Ledger == "" {
		return nil, nil
	}
	if commit == "unknown" {
		return nil, exit.Usage("--ledger: this build of torture does not know its commit; build torture with: make build")
	}
	root, ok := programs.Root()
	if !ok {
		return nil, exit.Usage("--ledger: torture's source code is missing; without the source, torture cannot determine when a line is stale")
	}
	tree, err := ledger.OpenSources(root)
	if err != nil {
		return nil, exit.Usage("--ledger: %v", err)
	}
	return &Bookkeeper{commit: commit, dir: s.Ledger, root: root, tree: tree}, nil
}

// Begin notes what is known before a run; faults is "" for a play.
func (k *Bookkeeper) Begin(lock registry.Backend, faults string) error {
	return k.BeginKind(ledger.Run, lock, faults)
}

// BeginKind notes what is known before a line of some kind.
func (k *Bookkeeper) BeginKind(kind string, lock registry.Backend, faults string) error {
	if k == nil {
		return nil
	}
	if _, err := k.tree.Of(kind, lock, faults); err != nil { // as they are now, whatever is edited meanwhile
		return exit.Usage("--ledger: %v", err)
	}
	if newer := k.newer(); newer != "" {
		return exit.Usage("--ledger: %s has changed since this program was built; build it again: make build", newer)
	}
	k.before, _ = cgroup.Load()
	k.spent = cgroup.Worked()
	k.began = time.Now()
	return nil
}

// HasApp reports whether the checkout has an app with this name in this folder.
func (k *Bookkeeper) HasApp(name, folder string) bool {
	own := k.tree.AppFolder(name)
	return own != "" && filepath.Join(k.root, own) == folder
}

// newer returns a source file that is newer than this program; "" if none is.
func (k *Bookkeeper) newer() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(self)
	if err != nil {
		return ""
	}
	return k.tree.Newer(info.ModTime())
}

// End adds the line of a run that has a verdict. dir is the directory of the run.
func (k *Bookkeeper) End(lock registry.Backend, r report.Run, result checker.Result, dir *trial.Dir, met bool) error {
	if k == nil {
		return nil
	}
	l, err := ledger.Of(r, result)
	if err != nil {
		return k.failed(err)
	}
	l.Met = met
	m, err := ledger.Measure(trial.HistoryOf(dir.Path).Name)
	if err != nil {
		return k.failed(err)
	}
	l.Stall = m.Stall
	if l.Kind == ledger.Run {
		l.Freed = m.Freed
	}
	return k.add(lock, l)
}

// refused adds the line of a run whose fault cannot be injected, if that is why it was refused.
func (k *Bookkeeper) refused(s Run, err error) error {
	const impossible = " is not possible here: "
	no := new(trial.RefusedError)
	if k == nil || !errors.As(err, &no) || !strings.HasPrefix(no.Setting, "nemesis ") || !strings.HasPrefix(no.Why, impossible) {
		return nil
	}
	l := ledger.Line{
		Kind: ledger.Run, Lock: s.Name(), Fault: s.faultSet(), Workload: s.Workload, Seed: s.Seed,
		Grade: ledger.NotInjected, Reason: strings.TrimPrefix(no.Why, impossible), Commit: k.commit, Date: k.began.UTC().Format(time.RFC3339),
	}
	if err := l.Asks(s.reproduce(cmp.Or(s.Fencing, trial.UsualFencing(s.Lock.Traits)), s.Nemesis, s.Lock.Traits)); err != nil {
		return k.failed(err)
	}
	return k.add(s.Lock, l)
}

// Note adds the line of something else than a run. Its sources and what the machine knows are filled in.
func (k *Bookkeeper) Note(lock registry.Backend, l ledger.Line) error {
	if k == nil {
		return nil
	}
	l.Lock, l.Commit, l.Date = lock.Name, k.commit, k.began.UTC().Format(time.RFC3339)
	if l.Duration == 0 {
		l.Duration = time.Since(k.began).Milliseconds()
	}
	return k.add(lock, l)
}

// add fills in what the machine knows, and appends the line.
func (k *Bookkeeper) add(lock registry.Backend, l ledger.Line) error {
	var err error
	if l.Sources, err = k.tree.Of(l.Kind, lock, l.Fault); err != nil {
		return k.failed(err)
	}
	l.LockVersion = lock.Library()
	l.Machine, l.Cores, l.Before = runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), k.before
	l.After, _ = cgroup.Load()
	if share, ok := cgroup.Worked().Others(k.spent); ok {
		share = math.Round(share*100) / 100
		l.Others = &share
	}
	if err := ledger.Append(k.dir, l); err != nil {
		return k.failed(err)
	}
	return nil
}

func (k *Bookkeeper) failed(err error) error {
	return fmt.Errorf("--ledger %s: the verdict is valid, but no line was written: %w", k.dir, err)
}
