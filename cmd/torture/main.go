// Command torture injects faults around a distributed lock and reports, from the
// record, which of its promises the lock broke.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"locktorture/cluster/docker"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry/config"
	"locktorture/report/words"
	"locktorture/runs"
	"locktorture/simulate/machine"
)

// orderly is how long an interrupted run may heal, judge and report.
const orderly = 2 * time.Minute

func main() {
	ctx, hangup := context.WithCancel(context.Background())
	defer hangup()
	onHangup(hangup)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // the next ^C ends the program at once
		time.AfterFunc(orderly, func() {
			fmt.Fprintln(os.Stderr, "torture: interrupted; some work did not end in time and was abandoned")
			os.Exit(exit.Interrupted)
		})
	})
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, becomeWhole)
	stop()
	os.Exit(code)
}

// onHangup ends the program in order when its terminal is closed, unless it was told to
// survive that (nohup). A shell and the kernel may both say so, so that further hang-ups
// change nothing.
func onHangup(end func()) {
	if signal.Ignored(syscall.SIGHUP) {
		return
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGHUP)
	go func() {
		<-told
		end()
	}()
}

// surviveReaders keeps the program alive when who reads its output is gone: a run is healed,
// judged and written down all the same. Other commands end as programs in a pipe do.
func surviveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// execute runs one command line and returns its exit code. It calls whole when the command needs
// libraries that this program was built without.
func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, whole func(context.Context) error) int {
	if err := roomToWork(); err != nil {
		fmt.Fprintf(errOut, "torture: %v\n", err)
		return exit.Harness
	}
	quietLibraries()
	root := newRoot(readEnvironment())
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(runs.WithSecrets(ctx))
	if errors.Is(err, docker.ErrNotCompiled) || errors.Is(err, machine.ErrNoEngine) {
		err = whole(ctx)
	}
	if err == nil {
		return exit.OK
	}
	var e *exit.Error
	if !errors.As(err, &e) {
		e = &exit.Error{Code: exit.BadUsage, Err: err} // cobra's own: unknown flags and commands
	}
	if ctx.Err() != nil && e.Code == exit.Harness && errors.Is(err, context.Canceled) {
		e = &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("interrupted before it began: %w", err)} // no fault of the harness
	}
	if e.Err != nil {
		fmt.Fprintf(errOut, "torture: %s\n", harmless(e.Err.Error()))
		if e.Code == exit.BadUsage {
			fmt.Fprintf(errOut, "torture: see %s --help\n", cmd.CommandPath())
		}
	}
	return e.Code
}

// harmless is a message without control characters, but for the ends of lines: parts of it may
// come from files and servers of others.
func harmless(message string) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = words.Clean(line, 100*words.MaxSentence)
	}
	return strings.Join(lines, "\n")
}

// newRoot wires the commands.
func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "torture",
		Short: "chaos and correctness tests for distributed locks",
		Long: `torture runs workloads against a real lock on real servers, injects faults, and
records every operation. Then it reports which promises the lock broke, with evidence.

exit codes: 0 the verdict is as expected (without --expect: safe, or fenced without a
broken promise of the lock), 1 the verdict is not as expected (without --expect: the
lock broke a promise), 2 wrong usage or unreadable input, 3 the verdict is unknown,
4 the harness itself failed, 5 your driver failed, 130 interrupted`,
		Version:           commit,
		PersistentPreRunE: env.prepare,

		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate(versionLine())
	root.SetUsageFunc(cli.Usage(groupsOf))
	root.SetFlagErrorFunc(cli.FlagError)
	root.PersistentFlags().Bool(runs.NoConfig, false, "ignore settings in "+config.Name+" and in the environment")
	root.AddCommand(newRun(env), newCheck(), newList(env), newScenario(env), newBench(env), newClean(), newVersion(), newDriver(env), newServe(), newReport(), newReplay(), newConfirm(env), newExport(), newWire(), newMatrix(env), newSweep(env), newConfig(env), newSelftest(), newLedger(env), newExplore(env), newShrink(), newConform(), newKubernetes(), newServers(), newApp(), newVersions(env), newSite(env))
	return root
}
