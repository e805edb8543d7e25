package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"locktorture/explore"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

func newExplore(env environment) *cobra.Command {
	var s exploreSpec
	cmd := &cobra.Command{
		Use:   "explore BACKEND",
		Short: "search in virtual time for faults under which a lock breaks",
		Long: `explore plays many short runs of a lock, unmodified, in virtual time, each with
up to three faults at messages and steps that are drawn from the seed. What
breaks the lock is cut down to what matters, with the cause, and written as a
run directory: history, schedule.txt, report. The same seed gives the same
trials.

What was found is then tried on real servers (--confirm): it is simulated only
until it was seen there.

exit codes: 0 nothing was found, 1 something was, 2 usage, 4 the simulator
failed, 130 interrupted`,
		Example: `  torture explore redis-set-del
  torture explore redlock --find double-grant --kinds clock --budget 5m
  torture explore redsync --trials 2000 --clients 2 --seed 7`,
		Args: cli.OneArg("backend"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Backend, s.env = args[0], env
			return exploreLock(cmd, env.locks, s)
		},
	}
	s.register(cmd.Flags())
	return cmd
}

// exploreLock searches, and shows what was found.
func exploreLock(cmd *cobra.Command, known map[string]registry.Backend, s exploreSpec) error {
	surviveReaders()
	o, err := s.order(cmd, known)
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
		return brokenAfter(cmd.Context(), fmt.Errorf("the simulator failed: %w", err))
	}
	s.told = &search.Report{Backend: o.Backend, Find: s.Find, Strategy: s.Strategy, Seed: o.Seed, Trials: tally.Trials, Runs: tally.Runs, Virtual: tally.Virtual}
	found := explore.Found(first)
	if found == nil {
		if s.JSON {
			err = report.Encode(cmd.OutOrStdout(), s.told)
		} else {
			nothing(cmd.OutOrStdout(), o, s, tally, seen.took())
		}
		if err != nil {
			return broken(err)
		}
		if cmd.Context().Err() != nil {
			return exit.Silent(exitInterrupted)
		}
		return nil
	}
	s.sayer(cmd)(fmt.Sprintf("found in trial %d, after %s of this machine and %s of virtual time, seed %d, in the world of seed %d: %s",
		found.Number, seconds(seen.took()), seconds(tally.Virtual), o.Seed, found.Trial.Order.Seed, found.Mechanism))
	return s.explain(cmd, lab, found)
}

// openLab loads the program of all clients, and starts servers.
func openLab(cmd *cobra.Command, o inside.Order, s exploreSpec) (*explore.Lab, error) {
	ctx := cmd.Context()
	if !s.Quiet {
		slow := time.AfterFunc(time.Second, func() {
			fmt.Fprintln(cmd.ErrOrStderr(), "compiling the clients for the simulator; it is done once for each version of the source")
		})
		defer slow.Stop()
	}
	guests, err := s.guests(ctx)
	if err != nil {
		return nil, err
	}
	lab, err := explore.Open(ctx, guests, o, registry.Invariant(o.Workload), s.Jobs)
	if err != nil {
		return nil, brokenAfter(ctx, err)
	}
	return lab, nil
}
