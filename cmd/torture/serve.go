package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report/serve"
	"locktorture/runs"
	"locktorture/trial"
)

func newServe() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "start a web server that shows the runs of a directory",
		Long: `serve starts a web server for the runs of a directory (default results/runs). Its pages
list the runs with their reports and files, compare two reports, and judge recorded runs
again. serve also lists matrices, if they are in the directory or next to it
(results/matrix). If you name the directory of a matrix, serve shows the score card and
the runs of this matrix. serve listens on the loopback address unless --addr names
another address. Runs can be judged again only from a browser on this machine.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "results/runs"
			if len(args) == 1 {
				dir = args[0]
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return exit.Usage("%s is no directory of runs; name the directory that holds your runs", dir)
			}
			return serveRuns(cmd, dir, addr)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8090", "address to listen on; port 0: any free port")
	return cmd
}

// serve answers until the command is interrupted, which is its regular end.
func serveRuns(cmd *cobra.Command, dir, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return exit.Usage("--addr: %v", err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", listener.Addr())
	if !loopback(listener.Addr()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s is no loopback address: everybody who can connect to this machine can read these runs, without a login\n", addr)
	}
	again := func(path string) error {
		_, err := judgeAgain(path)
		return err
	}
	if err := serve.Until(cmd.Context(), serve.NewServer(dir, again), listener); err != nil {
		return runs.Broken(err)
	}
	return nil
}

// loopback reports whether only this machine reaches an address.
func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// judgeAgain judges a recorded run again, as torture check --html does, and returns the path of its
// report.
func judgeAgain(path string) (page string, err error) {
	run, r, dir, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		return "", runs.NotRun(path, err)
	}
	expect, err := runs.ParseExpect(run.Expect)
	if err != nil {
		return "", err
	}
	run.Exit = runs.ExitCode(r, run.Expect, expect, nil, false)
	if err := trial.WriteDecoded(run, r, dir, decoderOf(run)); err != nil {
		return "", runs.Broken(err)
	}
	return dir.File("report.html"), nil
}
