package session

import (
	"fmt"
	"time"

	"locktorture/explore"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// Run searches until a trial shows an anomaly, and prints the result. It then shrinks,
// explains, keeps and confirms a finding (explain).
func (s Explore) Run(cmd runs.Command, known map[string]registry.Backend) error {
	s.known = known
	o, err := s.order(cmd, known)
	if err != nil {
		return err
	}
	book, lock, err := s.book(known)
	if err != nil {
		return err
	}
	lab, err := openLab(cmd, o, s)
	if err != nil {
		return err
	}
	defer lab.Close()
	seen := newSeen(cmd.ErrOrStderr(), s)
	first, tally, err := search.Run(cmd.Context(), search.Config{
		Order: o, Loads: s.loads(cmd), Find: s.Find, Strategy: s.Strategy, Kinds: s.kinds(), Trials: s.Trials, Budget: s.Budget, Arenas: lab.Arenas, Tell: seen.update,
	})
	seen.done()
	if err != nil {
		return runs.BrokenAfter(cmd.Context(), fmt.Errorf("the simulator failed: %w", err))
	}
	s.told = &search.Report{Backend: o.Backend, Find: s.Find, Strategy: s.Strategy, Seed: o.Seed, Trials: tally.Trials, Runs: tally.Runs, Virtual: tally.Virtual, States: tally.Saturation()}
	found := explore.Found(first)
	noted := s.note(cmd, book, lock, o, tally, found)
	if noted != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "torture:", noted)
	}
	if found == nil {
		if s.JSON {
			err = report.Encode(cmd.OutOrStdout(), s.told)
		} else {
			nothing(cmd.OutOrStdout(), o, s, tally, seen.took())
		}
		if err != nil {
			return runs.Broken(err)
		}
		if cmd.Context().Err() != nil {
			return exit.Silent(exit.Interrupted)
		}
		if noted != nil {
			return exit.Silent(exit.Harness)
		}
		return nil
	}
	s.sayer(cmd)(fmt.Sprintf("found in trial %[1]d (seed %[4]d; seed of the trial's world: %[5]d), after %[2]s of real time and %[3]s of virtual time: %[6]s",
		found.Number, seconds(seen.took()), seconds(tally.Virtual), o.Seed, found.Trial.Order.Seed, found.Mechanism))
	return s.explain(cmd, lab, found)
}

// openLab loads the programs of the simulation, and starts the servers for s.Jobs parallel
// trials.
func openLab(cmd runs.Command, o inside.Order, s Explore) (*explore.Lab, error) {
	ctx := cmd.Context()
	if !s.Quiet {
		slow := time.AfterFunc(time.Second, func() {
			fmt.Fprintln(cmd.ErrOrStderr(), "compiling the clients for the simulator; this is necessary once for each version of the source")
		})
		defer slow.Stop()
	}
	guests, err := s.guests(ctx)
	if err != nil {
		return nil, err
	}
	lab, err := explore.Open(ctx, guests, o, registry.Invariant(o.Workload), s.Jobs)
	if err != nil {
		return nil, runs.BrokenAfter(ctx, err)
	}
	return lab, nil
}
