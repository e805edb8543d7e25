package main

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/runs"
	"locktorture/trial"
	"locktorture/wire/protocols"
	"locktorture/wire/tape"
	"locktorture/wire/trace"
)

// A traceSpec is what the flags of torture wire say.
type traceSpec struct {
	Client, Node, Lock string
	From, To           time.Duration
	Peers, Control     bool
	JSON               bool
}

func newWire() *cobra.Command {
	var s traceSpec
	cmd := &cobra.Command{
		Use:   "wire RUNDIR",
		Short: "print the recorded traffic between clients and servers, message by message",
		Long: `wire decodes the recorded traffic of a run (docs/wire.md), and prints the messages in
chronological order. The times are the same as in the history. If a fault delayed a
message, wire prints the message twice: at the time when it was sent, and at the time when
it was passed on or lost.`,
		Example: `  torture wire results/runs/latest --client c2 --from 1.6s --to 2.8s
  torture wire results/runs/latest --node redis-3 --lock seckill`,
		Args: cli.OneArg("a run directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return atOnce(cmd.Context(), func() error { return s.print(cmd.OutOrStdout(), args[0]) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Client, "client", "", "print only messages of this `client`, such as c2")
	f.StringVar(&s.Node, "node", "", "print only messages of this `node`, such as redis-3")
	f.StringVar(&s.Lock, "lock", "", "print only messages that contain this `name` as a word, and the replies to these messages")
	f.DurationVar(&s.From, "from", 0, "print only messages after this time")
	f.DurationVar(&s.To, "to", 0, "print only messages before this time")
	f.BoolVar(&s.Peers, "peers", false, "also print messages between nodes")
	f.BoolVar(&s.Control, "control", false, "also print messages of the protocol itself (in HTTP/2: all except data and errors)")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each line (docs/files.md)")
	return cmd
}

// filter checks the flags against a run.
func (s traceSpec) filter(run report.Run) (f trace.Filter, err error) {
	f = trace.Filter{Node: s.Node, Lock: s.Lock, From: s.From, To: s.To, Peers: s.Peers, Control: s.Control}
	if s.Client != "" {
		if f.Client, err = strconv.Atoi(strings.TrimPrefix(s.Client, "c")); err != nil || f.Client < 1 || f.Client > run.Clients {
			return f, exit.Usage("--client %q: must be from c1 to c%d", s.Client, run.Clients)
		}
	}
	switch {
	case s.Node != "" && !slices.Contains(run.Nodes, s.Node):
		return f, exit.Usage("--node %q: must be one of %s", s.Node, words.List(run.Nodes, ", ", "none"))
	case s.From < 0 || s.To < 0 || s.To > 0 && s.To < s.From:
		return f, exit.Usage("--from %s, --to %s: must not be negative, and --to must not be before --from", s.From, s.To)
	}
	return f, nil
}

// print prints the trace of a run.
func (s traceSpec) print(out io.Writer, path string) error {
	run, dir, err := trial.Load(path)
	if err != nil {
		return runs.NotRun(path, err)
	}
	f, err := s.filter(run)
	if err != nil {
		return err
	}
	said, file, err := saidIn(dir, f)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return exit.Usage("%s: %s", path, notRecorded(run))
	case err != nil:
		return exit.Usage("%v", err)
	}
	defer file.Close()
	if said, err = withTries(dir, f.Client, said); err != nil {
		return exit.Usage("%v", err)
	}
	w := bufio.NewWriter(out)
	show := trace.Text
	if s.JSON {
		show = trace.JSON
	}
	for row, err := range said {
		if err == nil {
			err = show(w, row)
		}
		if err != nil {
			return runs.Broken(err)
		}
	}
	if err := w.Flush(); err != nil {
		return runs.Broken(err)
	}
	return nil
}

// saidIn reads what was said in a run, until the closer is closed. An os.ErrNotExist says that
// it was not recorded.
func saidIn(dir *trial.Dir, f trace.Filter) (iter.Seq2[trace.Row, error], io.Closer, error) {
	r, file, err := tape.Open(dir.File(trial.WireFile))
	if err != nil {
		return nil, nil, err
	}
	d := protocols.New(registry.Scripts())
	return trace.Source{Tape: r, Decoder: d.For, Learn: d.Learn}.Rows(f), file, nil
}

// notRecorded says why a run has no traffic to show.
func notRecorded(run report.Run) string {
	switch run.Wire {
	case report.WireTLS:
		return "the traffic was not recorded: the servers speak TLS, and torture cannot decode it"
	case report.WireOff:
		return "the traffic was not recorded: the run had --wire off"
	case report.WireRecorded:
		return "the recorded traffic no longer exists"
	}
	return "there was no traffic to record: the run had no links to servers, or was made by an older torture, which did not record traffic"
}
