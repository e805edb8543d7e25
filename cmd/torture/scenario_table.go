package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/scenarios"
)

// A tally is what all plays of one case came to.
type tally struct {
	Scenario string              `json:"scenario"`
	Backend  string              `json:"backend"`
	Variant  string              `json:"variant,omitempty"`
	Expected string              `json:"expected"`
	Seen     string              `json:"seen"` // in the last play
	Of       int                 `json:"of"`
	AsExpect int                 `json:"as_expected"`
	Missed   int                 `json:"missed,omitempty"`  // of those, plays in which a race inside a library did not show the hazard
	Differs  string              `json:"differs,omitempty"` // the last difference
	Skipped  string              `json:"skipped,omitempty"` // why it could not be played
	Failed   string              `json:"failed,omitempty"`  // why the harness itself failed in a play, the last time
	Seconds  float64             `json:"seconds"`           // of a play, on average
	Measures []scenarios.Measure `json:"measures,omitempty"`
	Runs     []string            `json:"runs,omitempty"`
}

// runScenarios plays what the command line names.
func runScenarios(cmd *cobra.Command, s scenarioSpec, name string) error {
	surviveReaders()
	if s.Repeat < 1 {
		return usage("--repeat %d: at least one is needed", s.Repeat)
	}
	if err := s.check("this needs power over them: a script kills servers, cuts their links and moves their clocks"); err != nil {
		return err
	}
	plays, err := chosenCases(s, name)
	if err != nil {
		return err
	}
	if plays, err = served(plays, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if err := s.recordable(); err != nil {
		return err
	}
	pool := &clusterPool{servers: s.serverSpec}
	defer pool.close()
	start := time.Now()
	var table []tally
	worst := exitOK
	for i, p := range plays {
		if !s.Quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d/%d %s with %s\n", i+1, len(plays), p.Name, p.Case.Name())
		}
		row, err := playAll(cmd, pool, s, p, len(plays) == 1)
		if row.Of > 0 || row.Skipped != "" {
			table = append(table, row)
		}
		if err != nil { // interrupted: what there is is kept
			if len(plays) > 1 && !s.JSON {
				err = errors.Join(err, printTallies(cmd.OutOrStdout(), table, time.Since(start)))
			}
			return errors.Join(err, s.record(table))
		}
		switch {
		case row.Failed != "":
			worst = exit.Worse(worst, exitHarness)
		case row.Skipped != "":
			worst = exit.Worse(worst, exitUnknown)
		case row.AsExpect < row.Of, row.Missed == row.Of && row.Of >= neverShown:
			worst = exit.Worse(worst, exitViolated)
		}
	}
	if len(plays) == 1 && worst == exitUnknown {
		return usage("scenario %s with %s %s", name, plays[0].Case.Name(), table[0].Skipped)
	}
	if err := s.record(table); err != nil {
		return err
	}
	if s.JSON {
		err = writeJSONLine(cmd.OutOrStdout(), struct {
			Cases   []tally `json:"cases"`
			Seconds float64 `json:"seconds"`
		}{table, time.Since(start).Seconds()})
	} else if len(plays) > 1 {
		err = printTallies(cmd.OutOrStdout(), table, time.Since(start))
	}
	if err != nil {
		return broken(err)
	}
	if worst != exitOK {
		return exit.Silent(worst)
	}
	return nil
}

// playAll plays one case as often as wanted. A play that the harness could not carry out
// counts as one that was not as expected. The error is that of an interrupt.
func playAll(cmd *cobra.Command, pool *clusterPool, s scenarioSpec, p play, alone bool) (tally, error) {
	row := tally{Scenario: p.Name, Backend: p.Case.Backend, Variant: p.Case.Variant, Expected: p.Case.Outcome()}
	for range s.Repeat {
		r, err := playOnce(cmd.Context(), pool, s, p)
		switch {
		case errors.Is(err, errNotServed), errors.Is(err, scenarios.ErrCannot):
			row.Skipped = err.Error()
			return row, r.write()
		case cmd.Context().Err() != nil:
			return row, errors.Join(interruptedPlay(r, err), r.write())
		case err != nil: // the others are played all the same
			row.Of++
			row.fail(cmd, p, fmt.Errorf("no verdict: %w", errors.Join(err, r.write())))
			row.Differs, row.Seen = "the harness failed", "no verdict: the harness failed"
			continue
		}
		row.add(r, p)
		var explained error
		if (alone || r.differs != "") && !s.JSON {
			explained = r.explain(cmd.OutOrStdout(), p)
		}
		if err := errors.Join(explained, r.write()); err != nil {
			row.fail(cmd, p, err)
		}
	}
	return row, nil
}

// add counts a play that was played to its end.
func (t *tally) add(r scenarioResult, p play) {
	t.Of++
	t.Seconds += (r.took.Seconds() - t.Seconds) / float64(t.Of)
	t.Seen, t.Measures, t.Runs = r.seen(), r.played.Measures, append(t.Runs, r.dir)
	if p.Case.Missed(r.result) {
		t.Missed++
	}
	if r.differs == "" {
		t.AsExpect++
	} else {
		t.Differs = r.differs
	}
}

// fail says what failed of the harness.
func (t *tally) fail(cmd *cobra.Command, p play, err error) {
	t.Failed = err.Error()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s with %s: %v\n", p.Name, p.Case.Name(), err)
}

// interruptedPlay says what a play came to that was interrupted.
func interruptedPlay(r scenarioResult, err error) error {
	switch {
	case r.dir == "":
		err = errors.New("interrupted before it began")
	case err == nil:
		err = fmt.Errorf("interrupted when it was over: %s: %s", r.result.Sentence, r.dir)
	default:
		err = fmt.Errorf("interrupted; until then %s: %w", r.result.Sentence, err)
	}
	return exit.With(exitInterrupted, err)
}

func printTallies(w io.Writer, table []tally, took time.Duration) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "scenario\tlock\tmust be seen\tseen\tas expected\ts")
	good, all, skipped := 0, 0, 0
	for _, t := range table {
		lock := t.Backend
		if t.Variant != "" {
			lock += " (" + t.Variant + ")"
		}
		if t.Skipped != "" {
			skipped++
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t-\t\n", t.Scenario, lock, t.Expected, t.Skipped)
			continue
		}
		seen := t.Seen
		for _, m := range t.Measures {
			seen += "; " + m.Name + " " + m.Value
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%.1f\n", t.Scenario, lock, t.Expected, seen, t.rate(), t.Seconds)
		good, all = good+t.AsExpect, all+t.Of
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	line := fmt.Sprintf("%d of %d as expected in %.0f s", good, all, took.Seconds())
	if skipped > 0 {
		line += fmt.Sprintf(", %d cases not played", skipped)
	}
	_, err := fmt.Fprintln(w, strings.TrimSpace(line))
	return err
}

func writeJSONLine(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// neverShown is how many plays without the hazard are a difference, where a race decides.
const neverShown = 20

// rate is how often a case came out as expected and, where a race decides, how often that was the hazard.
func (t tally) rate() string {
	text := fmt.Sprintf("%d of %d", t.AsExpect, t.Of)
	if t.Missed > 0 {
		text += fmt.Sprintf(", shown in %d", t.AsExpect-t.Missed)
	}
	return text
}
