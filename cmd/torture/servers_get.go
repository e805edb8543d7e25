package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/runs"
)

func newServers() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "install the servers that torture starts",
		Args:  cli.NoArgs,
	}
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "list the servers", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return getServers(cmd, "--list") },
	}, &cobra.Command{
		Use:   "install NAME...",
		Short: "install servers: some are built with Go; the others need root and Debian or Ubuntu",
		Example: `  torture servers install redis
  torture servers install etcd consul`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error { return getServers(cmd, names...) },
	})
	return cmd
}

// getServers runs the script that make servers runs, too.
func getServers(cmd *cobra.Command, args ...string) error {
	root, ok := programs.Root()
	if !ok {
		return exit.Usage("servers cannot be built here: torture's source code is missing")
	}
	p := exec.CommandContext(cmd.Context(), filepath.Join(root, "scripts", "servers"), args...)
	p.Stdout, p.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	// An interrupt ends the script and all that it has started.
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGTERM) }
	p.WaitDelay = 10 * time.Second
	failed := (*exec.ExitError)(nil)
	switch err := p.Run(); {
	case err != nil && cmd.Context().Err() != nil:
		return exit.With(exit.Interrupted, errors.New("interrupted"))
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		return exit.Silent(failed.ExitCode())
	case err != nil:
		return runs.Broken(err)
	}
	return nil
}
