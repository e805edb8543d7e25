package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/report"
	"locktorture/scenarios"
)

// A scenarioResult is what one play came to.
type scenarioResult struct {
	dir     string
	run     report.Run
	result  checker.Result
	played  scenarios.Played
	differs string // from what was expected; "" if it does not
	took    time.Duration
	files   *runDir // where its reports go; nil: nothing was recorded
}

// playOnce plays one case and judges it. With an error it was not played to its end; what was
// recorded until then is judged and kept all the same.
func playOnce(ctx context.Context, pool *clusterPool, s scenarioSpec, p play) (res scenarioResult, err error) {
	start := time.Now()
	dir, err := makeRunDir(s.Dir, p.Case.Backend+"-"+p.Name)
	if err != nil {
		return res, broken(err)
	}
	defer func() {
		if err != nil && !dir.discard() {
			err = keptIn(dir, err)
		}
	}()
	b := backends()[p.Case.Backend]
	servers, err := pool.get(ctx, b, p.Scenario, p.Case, dir)
	if err != nil {
		return res, err
	}
	if b, err = p.learned(ctx, b, servers); err != nil {
		return res, errors.Join(err, pool.drop(servers))
	}
	run := describeScenario(s, p, b, servers, dir)
	if err := dir.writeJSON("run.json", run); err != nil {
		return res, broken(err)
	}
	played, failure := carryOutScenario(ctx, p, b, servers, dir, pool.lock(p.Name))
	if failure != nil {
		failure = errors.Join(broken(failure), pool.drop(servers))
	}
	if !dir.begun.Load() {
		return res, failure
	}
	res = scenarioResult{dir: dir.path, played: played}
	if res.result, err = judge(dir.path, run.Options); err != nil {
		return res, errors.Join(failure, broken(err))
	}
	res.differs = p.Case.Differs(res.result, played)
	switch {
	case ctx.Err() != nil:
		run.Exit = exitInterrupted
	case failure != nil:
		run.Exit = exitHarness
	case res.differs != "":
		run.Exit = exitViolated
	}
	dir.latest()
	res.took = time.Since(start)
	res.run, res.files = run, dir
	return res, failure
}

// write writes the reports of a play, if it left anything to report.
func (r scenarioResult) write() error {
	if r.files == nil {
		return nil
	}
	if err := writeReports(r.run, r.result, r.files); err != nil {
		return keptIn(r.files, fmt.Errorf("the verdict stands, its reports are not complete: %w", err))
	}
	return nil
}

// carryOutScenario plays the script over a recording.
func carryOutScenario(ctx context.Context, p play, b backend, servers *pooled, dir *runDir, lock string) (_ scenarios.Played, err error) {
	rec, err := openRecording(dir, "", nil)
	if err != nil {
		return scenarios.Played{}, err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	cfg := harness.Config{
		Traits: b.Traits, Record: rec.record, Now: rec.now, World: harness.WorldOf(servers.Cluster, p.Parties(), p.TimeToLive()),
		Open: scenarioOpener(p, b, servers, dir), FreeWithin: scriptFreeWithin(p, b),
	}
	if b.Prober != nil {
		prober, err := b.Prober(servers.Cluster)
		if err != nil {
			return scenarios.Played{}, fmt.Errorf("open prober: %w", err)
		}
		defer prober.Close()
		cfg.Prober = prober
	}
	return scenarios.Play(ctx, p.Scenario, p.Case, scenarios.Setup{Config: cfg, Cluster: servers.Cluster, Lock: lock})
}

// scenarioOpener opens each client in a process of its own.
func scenarioOpener(p play, b backend, servers *pooled, dir *runDir) func(ctx context.Context, client, process int) (locks.Locker, error) {
	if b.Driver != nil {
		return driverOpener(p, b.Driver, servers, dir)
	}
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		open := driver.Open{
			Backend: p.Case.Backend, Endpoints: servers.Endpoints(client), TTL: p.TimeToLive(),
			Client: client, Process: process, Options: scriptOptions(p.Case),
		}
		if p.InProcess {
			return openFor(ctx, open, &locks.SkewedClock{})
		}
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return driver.Start(ctx, driver.Command{Path: self, Args: []string{"driver"}, Stderr: dir.stderr(client)}, open)
	}
}

// scriptGrace is added to the time in which a lock must become free. A script looks
// once, and a busy machine may keep it waiting.
const scriptGrace = time.Second

func scriptFreeWithin(p play, b backend) time.Duration {
	return freeWithin(runSpec{TTL: p.TimeToLive()}, b) + scriptGrace
}

// judgedFreeWithin is the time by which a play is judged.
func judgedFreeWithin(p play, b backend) time.Duration {
	d := scriptFreeWithin(p, b)
	if !p.Liveness {
		d += time.Minute
	}
	return d
}

// scriptOptions makes a client wait for an answer longer than a busy machine
// keeps it, so that no request of a script is lost by accident.
func scriptOptions(c scenarios.Case) map[string]string {
	options := map[string]string{"timeout": "20s"}
	maps.Copy(options, c.Options)
	return options
}

// describeScenario fills in run.json.
func describeScenario(s scenarioSpec, p play, b backend, servers *pooled, dir *runDir) report.Run {
	t := b.Traits
	r := report.Run{
		Name: dir.name, Start: time.Now(), Version: commit, Commit: commit,
		Scenario: p.Name, Title: p.Title, Backend: p.Case.Backend, Workload: "counter", Clients: p.Parties(), TTL: p.TimeToLive(), InProcess: p.InProcess,
		Fencing: map[bool]string{true: harness.FencingOn, false: harness.FencingOff}[p.Case.Fenced], Expect: p.Case.Expect,
		Topology: servers.Topology, Provisioner: servers.Provisioner, ProvisionerWhy: servers.why,
		LeaseClock: t.Clock, Reproduce: s.again(p), CheckAgain: "torture check " + dir.path,
		Flags: []report.Flag{{Name: "backend", Value: p.Case.Backend}, {Name: "variant", Value: p.Case.Variant}},
		Options: checker.Options{
			Model: cmp.Or(p.Case.Model, t.Model), Bounded: t.Bounded, Watched: t.Watched, Tokens: t.Token, Expires: t.LeastTTL > 0, Fair: t.Fair, Reentrant: t.Reentrant,
			TTL: p.TimeToLive(), FreeWithin: judgedFreeWithin(p, b), Retry: b.Retry, Workload: "counter",
			MinGrants: 1, Control: b.Control, Scripted: true, Timeout: time.Minute, Memory: 2 << 30,
		},
	}
	if servers.run != dir.name && len(servers.Nodes) > 0 {
		r.ProvisionerWhy += "; started for " + servers.run + ", which has their logs"
	}
	for _, n := range servers.Nodes {
		r.Nodes = append(r.Nodes, n.Name())
		r.Versions = append(r.Versions, report.Version{Name: n.Name(), Version: n.Version()})
	}
	if d := b.Driver; d != nil {
		r.Versions = append(r.Versions, report.Version{Name: "driver " + d.Name(), Version: d.Declared.Lock})
	}
	for _, name := range slices.Sorted(maps.Keys(moduleVersions())) {
		r.Versions = append(r.Versions, report.Version{Name: name, Version: moduleVersions()[name]})
	}
	return r
}

// again is the command line that plays the same on the same servers.
func (s scenarioSpec) again(p play) string {
	words := append([]string{"--cluster", s.Cluster}, s.imageWords()...)
	return scenarioCommand(p.Name, p.Case.Backend, p.Case.Variant) + " " + shellquote.Join(append(words, "--"+noConfig)...)
}

// seen says in a few words what a play came to.
func (r scenarioResult) seen() string {
	parts := []string{string(r.result.Grade)}
	for _, kind := range checker.Kinds() {
		if n := r.result.Counts.Anomalies[kind]; n > 0 {
			parts = append(parts, kind)
		}
	}
	text := strings.Join(parts, " + ")
	if r.played.Stuck != "" {
		text = "stuck: " + r.played.Stuck
	}
	return text
}

// explain writes what a reader of one play wants to know.
func (r scenarioResult) explain(out io.Writer, p play) error {
	w := &bytes.Buffer{}
	fmt.Fprintf(w, "%s with %s: %s\n", p.Name, p.Case.Name(), r.seen())
	for _, prop := range r.result.Properties {
		kinds := map[string]bool{}
		for _, a := range prop.Anomalies {
			if !kinds[a.Kind] {
				kinds[a.Kind] = true
				fmt.Fprintf(w, "  %s: %s\n", a.Kind, a.Sentence)
			}
		}
	}
	for _, f := range r.played.Facts {
		fmt.Fprintf(w, "  seen: %s\n", f)
	}
	for _, m := range r.played.Measures {
		fmt.Fprintf(w, "  %s: %s\n", m.Name, m.Value)
	}
	if r.differs != "" {
		fmt.Fprintf(w, "  not as expected (%s): %s\n", p.Case.Outcome(), r.differs)
	} else {
		fmt.Fprintf(w, "  as expected: %s\n", p.Case.Outcome())
	}
	fmt.Fprintf(w, "  report: %s/report.html\n", r.dir)
	_, err := w.WriteTo(out)
	return err
}
