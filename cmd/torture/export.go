package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/atomicfile"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/diagram"
	"locktorture/report/export"
	"locktorture/runs"
	"locktorture/trial"
	"locktorture/wire/trace"
)

// An exportSpec is what the flags of an export say.
type exportSpec struct {
	Format   string
	Out      string
	Incident int
}

var exportFormats = []string{"edn", "perfetto", "mermaid", "csv"}

func newExport() *cobra.Command {
	var s exportSpec
	cmd := &cobra.Command{
		Use:   "export RUNDIR --format edn|perfetto|mermaid|csv",
		Short: "write a recorded run in a form for other programs",
		Long: `export writes a recorded run in a form for other programs (--format):

  edn       the history in the form of Jepsen, Knossos and Elle; torture check accepts
            this file, too, and gives the same verdict as for the run
  perfetto  a trace of clients, locks, nodes and faults, for ui.perfetto.dev and
            chrome://tracing
  mermaid   a drawing of one incident, for Markdown (--incident)
  csv       a table with a row for each operation, for spreadsheets and data frames`,
		Example: "  torture export results/runs/latest --format perfetto --out trace.json\n" +
			"  torture export results/runs/latest --format edn --out history.edn && torture check history.edn",
		Args: cli.OneArg("a run directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Format == "" {
				return exit.Usage("--format is missing: must be one of %s", strings.Join(exportFormats, ", "))
			}
			if !slices.Contains(exportFormats, s.Format) {
				near := suggest.Nearest(s.Format, exportFormats)
				if near != "" {
					near = "; did you mean " + near + "?"
				}
				return exit.Usage("--format %q: must be one of %s%s", s.Format, strings.Join(exportFormats, ", "), near)
			}
			if cmd.Flags().Changed("incident") && s.Format != "mermaid" {
				return exit.Usage("--incident: only with --format mermaid")
			}
			return atOnce(cmd.Context(), func() error { return exportRun(cmd.Context(), cmd.OutOrStdout(), s, args[0]) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Format, "format", "", "form of the output: edn, perfetto, mermaid or csv")
	f.StringVar(&s.Out, "out", "", "file for the output (default: standard output)")
	f.IntVar(&s.Incident, "incident", 1, "for mermaid: number of the incident in the report")
	return cmd
}

func exportRun(ctx context.Context, out io.Writer, s exportSpec, path string) error {
	run, dir, err := trial.Load(path)
	if err != nil {
		return runs.NotRun(path, err)
	}
	var unread error // why the run could not be exported, whatever is written to
	write := func(w io.Writer) error {
		to := &sink{Writer: w, ctx: ctx}
		err := writeExport(to, s, path, run, dir)
		if to.err == nil {
			unread = err
		}
		return err
	}
	if s.Out != "" {
		err = atomicfile.Write(s.Out, write)
	} else {
		err = write(out)
	}
	switch {
	case unread != nil && errors.As(unread, new(*exit.Error)):
		return unread
	case unread != nil:
		return runs.NotRun(path, unread)
	case err == nil:
		return nil
	case s.Out == "":
		return runs.Broken(fmt.Errorf("standard output: %w", err))
	case exit.Unusable(err):
		return exit.Usage("--out %s: %v; name a writable file", s.Out, err)
	}
	return runs.Broken(fmt.Errorf("--out %s: %w", s.Out, err))
}

// A sink remembers why it could not be written. It takes nothing more after an interrupt.
type sink struct {
	io.Writer
	ctx context.Context
	err error
}

func (s *sink) Write(b []byte) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.Writer.Write(b)
	}
	s.err = cmp.Or(s.err, err)
	return n, err
}

func writeExport(w io.Writer, s exportSpec, path string, run report.Run, dir *trial.Dir) error {
	h := trial.HistoryOf(dir.Path)
	switch s.Format {
	case "edn":
		return export.EDN(w, run, h)
	case "perfetto":
		return exportTrace(w, run, dir, h)
	case "csv":
		return export.CSV(w, h)
	}
	_, r, _, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		return err
	}
	return exportIncident(w, s.Incident, run, r, dir)
}

// exportTrace writes a trace, with what clients and servers said if that was recorded.
func exportTrace(w io.Writer, run report.Run, dir *trial.Dir, h *history.File) error {
	said, file, err := saidIn(dir, trace.Filter{Peers: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		defer file.Close()
	}
	return export.Perfetto(w, run, h, said)
}

// exportIncident draws the witness of an incident.
func exportIncident(w io.Writer, number int, run report.Run, r checker.Result, dir *trial.Dir) error {
	list := r.Incidents.List
	at := slices.IndexFunc(list, func(i checker.Incident) bool { return i.Number == number })
	switch {
	case len(list) == 0:
		return exit.Usage("the run has no incident to draw")
	case at < 0:
		return exit.Usage("--incident %d: the run has %d incidents; %d to %d can be drawn", number, r.Incidents.Total, list[0].Number, list[len(list)-1].Number)
	}
	drawing := diagram.One(list[at].Witness)
	if err := drawing.Read(trial.HistoryOf(dir.Path)); err != nil {
		return err
	}
	traffic, done, err := trial.TrafficBy(dir, registry.Scripts(), decoderOf(run))
	if err != nil {
		return err
	}
	if err := errors.Join(drawing.Trace(run.Nodes, traffic), done()); err != nil {
		return err
	}
	_, err = fmt.Fprint(w, drawing.Mermaid())
	return err
}
