package main

import (
	"locktorture/internal/cli"
	"locktorture/runs"

	"github.com/spf13/cobra"
)

func newRun(env environment) *cobra.Command {
	s := runs.Spec{Commit: commit}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "test one lock under faults, and judge it",
		Example: `  torture run --backend redlock --workload seckill --nemesis pause,clock --duration 30s
  torture run --backend none --workload counter --nemesis none --expect unsafe+lost-update
  torture run --backend etcd-concurrency --nemesis all --repeat 10
  torture run --driver 'python3 my_lock.py' --topology redis --nemesis pause`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			surviveReaders()
			return runs.All(cmd, env.locks, s)
		},
	}
	s.Register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}
