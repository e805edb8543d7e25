package runs

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"

	"locktorture/internal/exit"
	"locktorture/internal/terminal"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// Show prints a verdict and then writes its files into the run directory: neither keeps the
// other from being done.
func Show(cmd Command, t *trial.Outcome, s Run) error {
	out := cmd.OutOrStdout()
	printed := printVerdict(out, t, s)
	if printed != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), t.Result.Sentence) // somebody should hear it
		printed = fmt.Errorf("print the verdict: %w", printed)
	}
	written := t.Write()
	if written != nil {
		written = fmt.Errorf("the verdict is valid, but its reports are incomplete: %w", written)
	}
	t.Dir.Latest()
	if err := errors.Join(printed, written); err != nil {
		return exit.With(exit.Worse(t.Run.Exit, exit.Harness), err)
	}
	if s.JSON {
		return nil
	}
	fmt.Fprintf(out, "report    %s\n", t.Dir.File("report.html"))
	return nil
}

func printVerdict(out io.Writer, t *trial.Outcome, s Run) error {
	if s.JSON {
		return report.JSON(out, t.Run, t.Result, t.Dir.Path)
	}
	if err := report.Text(out, t.Run, t.Result, Look(out)); err != nil || s.Expect == "" {
		return err
	}
	line := "as expected: " + s.Expect
	if d := s.Expected.Differs(t.Result); d != "" {
		line = "not as expected: " + d
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// Look is what an output can show.
func Look(out io.Writer) report.Look {
	width, _ := terminal.Size(out)
	return report.Look{Width: width, Color: terminal.Colored(out)}
}

// flags lists every flag of a run with its effective value; fencing and prefix are those of
// the run.
func (s Run) flags(fencing, prefix string) []report.Flag {
	return append(s.ownFlags(fencing), s.AccessSpec.flags(s.Theirs, prefix)...)
}

// ownFlags are the flags but for those of servers of the user's own.
func (s Run) ownFlags(fencing string) []report.Flag {
	list := []report.Flag{
		{Name: "backend", Value: s.Name()}, {Name: "driver", Value: s.Driver}, {Name: "workload", Value: s.Workload},
		{Name: "nemesis", Value: strings.Join(s.Nemesis, ",")}, {Name: "duration", Value: s.Duration.String()},
		{Name: "clients", Value: strconv.Itoa(s.Clients)}, {Name: "locks", Value: strconv.Itoa(s.Locks)},
		{Name: "ttl", Value: s.TTL.String()}, {Name: "seed", Value: strconv.FormatUint(s.Seed, 10)},
		{Name: "cluster", Value: s.Cluster}, {Name: "topology", Value: s.Topology}, {Name: "fencing", Value: fencing},
		{Name: "careful", Value: strconv.FormatBool(s.Careful)}, {Name: "in-process", Value: strconv.FormatBool(s.InProcess)},
		{Name: "schedule", Value: s.Schedule}, {Name: "free-within", Value: s.FreeWithin.String()},
		{Name: "min-grants", Value: strconv.Itoa(s.MinGrants)}, {Name: "expect", Value: s.Expect},
		{Name: "check-timeout", Value: s.Timeout.String()}, {Name: "check-memory", Value: strconv.FormatInt(s.Memory, 10)},
		{Name: "history-limit", Value: strconv.FormatInt(s.HistoryLimit, 10)},
		{Name: "wire", Value: s.Wire}, {Name: "stop-on-violation", Value: strconv.FormatBool(s.StopOnViolation)},
	}
	for _, server := range slices.Sorted(maps.Keys(s.Images)) {
		list = append(list, report.Flag{Name: "image", Value: server + "=" + s.Images[server]})
	}
	return append(list, s.loadSpec.flags(s.store(), s.longHold())...)
}

// reproduce is the command line that runs the same again, whatever torture.yaml and the
// environment will say: with --no-config what is left out is at its default.
func (s Run) reproduce(fencing string, nemeses []string, t locks.Traits) string {
	words := append([]string{"torture", "run"}, s.LockSpec.Words()...)
	words = append(words, "--workload", s.Workload)
	switch {
	case s.Schedule != "":
		words = append(words, "--schedule", s.Schedule)
	case len(nemeses) == 0:
		words = append(words, "--nemesis", "none")
	default:
		words = append(words, "--nemesis", strings.Join(nemeses, ","))
	}
	words = append(words, "--duration", s.Duration.String(), "--clients", strconv.Itoa(s.Clients), "--ttl", s.TTL.String(),
		"--seed", strconv.FormatUint(s.Seed, 10), "--cluster", s.Cluster)
	known := Flags()
	for _, f := range s.ownFlags(fencing) {
		usual := known.Lookup(f.Name).DefValue
		switch f.Name {
		case "backend", "driver", "workload", "schedule", "nemesis", "duration", "clients", "ttl", "seed", "cluster":
			continue // they are there
		case "fencing":
			usual = trial.UsualFencing(t)
		case "long-hold":
			usual = s.longHoldUnlessSaid()
		case "store":
			usual = registry.StoreOf(s.Workload)
		}
		switch f.Value {
		case usual, "":
		case "true", "false":
			words = append(words, "--"+f.Name+"="+f.Value)
		default:
			words = append(words, "--"+f.Name, f.Value)
		}
	}
	words = append(words, s.AccessSpec.Words(s.Theirs)...)
	return shellquote.Join(append(words, "--"+NoConfig)...)
}

// tallyLine says how often each verdict came: "3 unsafe, 7 safe".
func tallyLine(tally map[string]int) string {
	var parts []string
	for _, grade := range slices.Sorted(maps.Keys(tally)) {
		parts = append(parts, fmt.Sprintf("%d %s", tally[grade], grade))
	}
	return strings.Join(parts, ", ")
}
