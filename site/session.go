package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"locktorture/internal/cgroup"
	"locktorture/internal/exit"
	"locktorture/ledger"
)

// Tries say how releases are tried.
type Tries struct {
	Root   string // of the checkout
	Ledger string // directory; "": nothing is kept
	Commit string // of this build
	Rounds int    // of the program with each release; the first that shows the failure is the last
	Sample int
	All    bool
	Again  bool   // also what the ledger knows
	From   string // the oldest release; "": the first
	To     string // the newest
	List   bool   // say which releases there are, and run nothing
	Out    io.Writer
	Told   io.Writer // progress
}

// A session tries releases with one checkout and one ledger.
type session struct {
	Tries
	tree    *ledger.Sources
	servers servers
}

// Try tries releases of the libraries of findings. Each line of the ledger is there as soon as its
// release was tried.
func Try(ctx context.Context, c Tries, findings []Finding) (err error) {
	s := &session{Tries: c}
	if s.tree, err = ledger.OpenSources(c.Root); err != nil {
		return exit.Usage("%v", err)
	}
	defer func() { err = errors.Join(err, s.servers.close()) }()
	for _, f := range findings {
		if err := s.try(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// try tries releases of one finding's library.
func (s *session) try(ctx context.Context, f Finding) error {
	versions, err := f.from.releases(ctx, f.Library)
	if err != nil {
		return stopped(ctx, err)
	}
	versions = released(versions)
	within := between(versions, s.From, s.To)
	if len(within) == 0 {
		return exit.Usage("%s has no release from %q to %q; it has %d", f.Library, s.From, s.To, len(versions))
	}
	fmt.Fprintf(s.Out, "%s: %s, %d releases, %s to %s\n", f.Name, f.Library, len(within), within[0], within[len(within)-1])
	known, err := s.known(f)
	if err != nil {
		return exit.Usage("%v", err)
	}
	outcomes := make([]string, len(within))
	for i, v := range within {
		outcomes[i] = known[v].Outcome
		if r, ok := known[v]; ok || s.List {
			r.Release = v
			fmt.Fprintln(s.Out, text(r, "in the ledger"))
		}
	}
	if s.List {
		return nil
	}
	var fresh []ledger.Release
	for {
		i, more := plan{s.Sample, s.All}.next(outcomes)
		if !more {
			return s.tell(f, slices.AppendSeq(fresh, maps.Values(known)))
		}
		r, err := s.release(ctx, f, within[i], versions)
		if err != nil {
			_ = s.tell(f, slices.AppendSeq(fresh, maps.Values(known))) // err says more
			return stopped(ctx, err)
		}
		outcomes[i], fresh = r.Outcome, append(fresh, r)
		fmt.Fprintln(s.Out, text(r, ""))
	}
}

// stopped is an error, or that the user has stopped it.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exit.With(exit.Interrupted, errors.New("interrupted; the results are kept, and the same command continues"))
	}
	return err
}

// known returns what the ledger knows of the program as it is, by version.
func (s *session) known(f Finding) (map[string]ledger.Release, error) {
	known := map[string]ledger.Release{}
	if s.Ledger == "" || s.Again {
		return known, nil
	}
	lines, err := ledger.ReadReleases(s.Ledger, time.Now())
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(r ledger.Release) bool { return r.Finding != f.Name || r.Library != f.Library })
	histories, err := ledger.Histories(lines, s.tree.Program)
	for _, h := range histories {
		for _, r := range h.Current() {
			known[r.Release] = r
		}
	}
	return known, err
}

// release tries one release, and keeps what it came to.
func (s *session) release(ctx context.Context, f Finding, version string, versions []string) (ledger.Release, error) {
	r := ledger.Release{Kind: ledger.Version, Finding: f.Name, Library: f.Library, Release: version, Releases: len(versions),
		Commit: s.Commit, Machine: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU()}
	if i := slices.Index(versions, version); i > 0 {
		r.Previous = versions[i-1]
	}
	var err error
	if r.Program, err = s.tree.Program(f.Name); err != nil {
		return r, err
	}
	r.Before, _ = cgroup.Load()
	began := time.Now()
	if err := s.outcome(ctx, f, version, &r); err != nil {
		return r, fmt.Errorf("%s with %s %s: %w", f.Name, f.Library, version, err)
	}
	r.Date, r.Duration = began.UTC().Format(time.RFC3339), time.Since(began).Milliseconds()
	r.After, _ = cgroup.Load()
	if s.Ledger == "" {
		return r, nil
	}
	return r, ledger.AppendRelease(s.Ledger, r)
}

// outcome builds and runs the program.
func (s *session) outcome(ctx context.Context, f Finding, version string, r *ledger.Release) (err error) {
	dir, err := os.MkdirTemp("", "torture-versions-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Fprintf(s.Told, "%s: building with %s %s\n", f.Name, f.Library, version)
	p, err := f.from.build(ctx, f, version, dir)
	if no := new(notBuiltError); errors.As(err, &no) {
		r.Outcome, r.Reason = ledger.NotBuilt, no.why
		return nil
	}
	if err != nil {
		return err
	}
	env, err := s.servers.environment(ctx, s.Root, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Told, "%s: running with %s %s\n", f.Name, f.Library, version)
	r.Day, r.Others = p.day, p.others
	r.Outcome, r.Reason, r.Rounds, err = p.play(ctx, s.Rounds, env)
	return err
}

// tell sums up what is known of a finding.
func (s *session) tell(f Finding, lines []ledger.Release) error {
	all, err := ledger.Histories(lines, s.tree.Program)
	if err != nil || len(all) == 0 {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s shows %s (%s releases tried)\n", f.Name, all[0], all[0].Count())
	return err
}

// text is the line about a release on a terminal.
func text(r ledger.Release, note string) string {
	rest := fmt.Sprintf("%d rounds, %d s", r.Rounds, r.Duration/1000)
	switch {
	case r.Outcome == "":
		r.Outcome, rest = "not tried", ""
	case r.Reason != "":
		rest = r.Reason
	}
	if note != "" && r.Outcome != "not tried" {
		rest += " (" + note + ")"
	}
	return fmt.Sprintf("  %-18s %-10s  %-9s  %s", r.Release, r.Day, r.Outcome, rest)
}
