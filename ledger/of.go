package ledger

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/checker"
	"locktorture/internal/wire"
	"locktorture/report"
)

// Of fills in what a run and its result say. What is missing is what only the machine knows: the
// library's version, the load, the longest stall, the sums of the sources.
func Of(run report.Run, r checker.Result) (Line, error) {
	l := Line{
		Kind: Run, Lock: run.Backend, Server: run.Topology, ServerVersion: serverVersions(run),
		Workload: run.Workload, Seed: run.Seed, Fault: Faults(run.Nemeses),
		Grade: string(r.Grade), Failed: r.Failed, Grants: r.Counts.Grants, Effective: r.Counts.Bites,
		Duration: r.Counts.Duration / int64(time.Millisecond), Commit: run.Commit, Date: run.Start.UTC().Format(time.RFC3339),
	}
	for _, kind := range checker.Kinds() {
		if r.Counts.Anomalies[kind] > 0 {
			l.Anomalies = append(l.Anomalies, kind)
		}
	}
	if run.Scenario != "" {
		l.Kind, l.Scenario, l.Fault, l.Seed = Scenario, run.Scenario, "", 0
		for _, f := range run.Flags {
			if f.Name == "variant" {
				l.Variant = f.Value
			}
		}
		return l, nil
	}
	if run.Options.IsApp() {
		l.Kind, l.Workload = App, ""
	}
	return l, l.Asks(run.Reproduce)
}

// Asks fills in what a command of torture run or of torture app asks for: the flags, and for how long.
func (l *Line) Asks(command string) (err error) {
	l.Flags, l.Asked, err = asked(command)
	return err
}

// Faults returns the name of a set of faults: "clock+pause", or "none".
func Faults(nemeses []string) string {
	if len(nemeses) == 0 {
		return "none"
	}
	sorted := slices.Clone(nemeses)
	slices.Sort(sorted)
	return wire.Faults(sorted)
}

// serverVersions returns the versions of the servers, each once.
func serverVersions(run report.Run) string {
	var list []string
	for _, v := range run.Versions {
		if slices.Contains(run.Nodes, v.Name) && v.Version != "" && !slices.Contains(list, v.Version) {
			list = append(list, v.Version)
		}
	}
	return strings.Join(list, ", ")
}

// asked returns the flags of a command of torture run or of torture app that decide what is run, but for
// those that a line has fields for and those that change no verdict; and its duration.
func asked(command string) (flags, duration string, err error) {
	words, err := shellquote.Split(command)
	if err != nil || len(words) < 2 {
		return "", "", errors.Join(errors.New("no command of torture run: "+command), err)
	}
	var kept []string
	if words[1] == "app" && len(words) > 2 {
		words = words[1:] // without the path of the app
	}
	for words = words[2:]; len(words) > 0; {
		flag := words[:1]
		if len(words) > 1 && !strings.HasPrefix(words[1], "--") && !strings.Contains(words[0], "=") {
			flag = words[:2]
		}
		words = words[len(flag):]
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.Join(flag, "="), "--"), "=")
		if name == "duration" {
			duration = value
		}
		if !slices.Contains([]string{"backend", "workload", "nemesis", "duration", "seed", "cluster", "wire", "no-config"}, name) {
			kept = append(kept, flag...)
		}
	}
	return shellquote.Join(kept...), duration, nil
}
