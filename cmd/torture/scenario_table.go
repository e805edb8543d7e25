package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/scenarios"
	"locktorture/scenarios/record"
)

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
	var table []record.Tally
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
				err = errors.Join(err, record.Text(cmd.OutOrStdout(), table, time.Since(start)))
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
			Cases   []record.Tally `json:"cases"`
			Seconds float64        `json:"seconds"`
		}{table, time.Since(start).Seconds()})
	} else if len(plays) > 1 {
		err = record.Text(cmd.OutOrStdout(), table, time.Since(start))
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
func playAll(cmd *cobra.Command, pool *clusterPool, s scenarioSpec, p play, alone bool) (record.Tally, error) {
	row := record.Tally{Scenario: p.Name, Backend: p.Case.Backend, Variant: p.Case.Variant, Expected: p.Case.Outcome()}
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
			failPlay(&row, cmd, p, fmt.Errorf("no verdict: %w", errors.Join(err, r.write())))
			row.Differs, row.Seen = "the harness failed", "no verdict: the harness failed"
			continue
		}
		r.count(&row, p)
		var explained error
		if (alone || r.differs != "") && !s.JSON {
			explained = r.explain(cmd.OutOrStdout(), p)
		}
		if err := errors.Join(explained, r.write()); err != nil {
			failPlay(&row, cmd, p, err)
		}
	}
	return row, nil
}

// count adds a play that was played to its end.
func (r scenarioResult) count(t *record.Tally, p play) {
	t.Add(record.Play{Took: r.took, Seen: r.seen(), Measures: r.played.Measures, Dir: r.dir, Missed: p.Case.Missed(r.result), Differs: r.differs})
}

// failPlay says what failed of the harness.
func failPlay(t *record.Tally, cmd *cobra.Command, p play, err error) {
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

// neverShown is how many plays without the hazard are a difference, where a race decides.
const neverShown = 20

func writeJSONLine(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// recordable tells before anything is played that the record cannot be written.
func (s scenarioSpec) recordable() error {
	if s.Record == "" {
		return nil
	}
	page, err := os.ReadFile(s.Record)
	if err != nil {
		return usage("--record: %v", err)
	}
	if _, err := record.Track(string(page), nil, commit); err != nil {
		return usage("--record %s: %v", s.Record, err)
	}
	return nil
}

// record writes what was played into the track record, if there is to be one.
func (s scenarioSpec) record(table []record.Tally) error {
	if s.Record == "" {
		return nil
	}
	page, err := os.ReadFile(s.Record)
	if err != nil {
		return broken(err)
	}
	text, err := record.Update(string(page), table, commit)
	if err != nil {
		return broken(err)
	}
	if err := atomicfile.WriteText(s.Record, text); err != nil {
		return broken(err)
	}
	return nil
}
