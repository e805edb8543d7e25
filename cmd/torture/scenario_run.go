package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/checker"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/scenarios/record"
	"locktorture/trial"
)

// A scenarioResult is what one play came to.
type scenarioResult struct {
	dir     string
	run     report.Run
	result  checker.Result
	played  scenarios.Played
	differs string // from what was expected; "" if it does not
	took    time.Duration
	files   *trial.Dir // where its reports go; nil: nothing was recorded
}

// playOnce plays one case and judges it. With an error it was not played to its end; what was
// recorded until then is judged and kept all the same.
func playOnce(ctx context.Context, pool *clusterPool, s scenarioSpec, p play) (res scenarioResult, err error) {
	start := time.Now()
	script := &scenarios.Script{Scenario: p.Scenario, Case: p.Case, Lock: pool.lock(p.Name)}
	o, err := trial.Run(ctx, s.trial(p, pool, script))
	if err != nil {
		return res, coded(err)
	}
	failure := errors.Join(o.Failure, o.Close())
	res = scenarioResult{dir: o.Dir.Path, played: script.Played, result: o.Result}
	res.differs = p.Case.Differs(res.result, res.played)
	switch {
	case ctx.Err() != nil:
		o.Run.Exit = exitInterrupted
	case failure != nil:
		o.Run.Exit = exitHarness
	case res.differs != "":
		o.Run.Exit = exitViolated
	}
	o.Dir.Latest()
	res.took = time.Since(start)
	res.run, res.files = o.Run, o.Dir
	if failure != nil {
		return res, coded(o.Dir.Kept(failure))
	}
	return res, nil
}

// write writes the reports of a play, if it left anything to report.
func (r scenarioResult) write() error {
	if r.files == nil {
		return nil
	}
	if err := trial.Write(r.run, r.result, r.files); err != nil {
		return coded(r.files.Kept(fmt.Errorf("the verdict stands, its reports are not complete: %w", err)))
	}
	return nil
}

// trial is one play of a script.
func (s scenarioSpec) trial(p play, pool *clusterPool, script *scenarios.Script) trial.Config {
	b := backends()[p.Case.Backend]
	if b.Driver != nil {
		b.Driver = b.Driver.With(p.Case.Options)
	}
	with := clients{backend: b, inProcess: p.InProcess && b.Driver == nil, open: driver.Open{
		Backend: p.Case.Backend, TTL: p.TimeToLive(), Options: scriptOptions(p.Case),
	}}
	return trial.Config{
		Base: s.Dir, Called: p.Case.Backend + "-" + p.Name,
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) {
			return pool.get(ctx, b, p.Scenario, p.Case, d)
		},
		Meet: with.meet, Act: script, Clients: p.Parties(), TTL: p.TimeToLive(),
		Options: checker.Options{
			Model: p.Case.Model, Workload: "counter", MinGrants: 1, Scripted: true, Timeout: time.Minute, Memory: 2 << 30,
		},
		Invariant: registry.Invariant("counter"), Commit: commit, Versions: libraryVersions(),
		Label: func(r *report.Run, _ trial.Lock) {
			r.Scenario, r.Title, r.Backend, r.InProcess = p.Name, p.Title, p.Case.Backend, p.InProcess
			r.Expect, r.Reproduce = p.Case.Expect, s.again(p)
			r.Flags = []report.Flag{{Name: "backend", Value: p.Case.Backend}, {Name: "variant", Value: p.Case.Variant}}
		},
	}
}

// scriptOptions makes a client wait for an answer longer than a busy machine
// keeps it, so that no request of a script is lost by accident.
func scriptOptions(c scenarios.Case) map[string]string {
	options := map[string]string{"timeout": "20s"}
	maps.Copy(options, c.Options)
	return options
}

// again is the command line that plays the same on the same servers.
func (s scenarioSpec) again(p play) string {
	words := append([]string{"--cluster", s.Cluster}, s.imageWords()...)
	return record.Command(p.Name, p.Case.Backend, p.Case.Variant) + " " + shellquote.Join(append(words, "--"+noConfig)...)
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
