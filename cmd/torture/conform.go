package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/conform"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
)

// A conformSpec is what the flags of torture conform s3 say.
type conformSpec struct {
	conform.Config
	runs.LedgerSpec
	Name string // of the store, in the ledger
	Dir  string
	JSON bool
}

func newConform() *cobra.Command {
	cmd := cli.Grouping(&cobra.Command{
		Use:   "conform",
		Short: "test whether a service keeps the promises on which locks rely",
	})
	cmd.AddCommand(newConformS3())
	return cmd
}

func newConformS3() *cobra.Command {
	var s conformSpec
	cmd := &cobra.Command{
		Use:   "s3",
		Short: "test whether the conditional writes of an object store are atomic",
		Long: `s3 sends bursts of puts with If-None-Match and If-Match to an object store, with and
without network faults, and judges the history. In a burst, several clients write one key
at the same time, and exactly one must win. Each key must be a linearizable register
(docs/object-stores.md). If the store has several servers, use --endpoint once for each.

s3 reads the login from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
AWS_SESSION_TOKEN. The bucket must exist. All keys begin with --prefix. At the end, s3
deletes these keys.

exit codes: 0 the store conforms, 1 the store does not conform, 2 wrong usage or an
unusable store, 3 unknown, 4 the harness itself failed, 130 interrupted (s3 judges the
requests so far)`,
		Example: `  torture conform s3 --endpoint http://127.0.0.1:9000 --bucket locks
  torture conform s3 --endpoint http://gw1:7070 --endpoint http://gw2:7070 --bucket locks
  torture conform s3 --endpoint https://s3.eu-west-1.amazonaws.com --region eu-west-1 --bucket mine`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return conformS3(cmd, s) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&s.Endpoints, "endpoint", nil, "`URL` of the store, http or https; may be repeated if the store has several servers")
	f.StringVar(&s.Bucket, "bucket", "torture", "name of an existing bucket")
	f.StringVar(&s.Region, "region", "us-east-1", "region in the signature of requests")
	f.StringVar(&s.Prefix, "prefix", "", "prefix of every key (default: torture- and the run's name)")
	f.IntVar(&s.Clients, "clients", 16, "number of clients in each burst")
	f.IntVar(&s.Keys, "keys", 30, "number of keys for each fault; each key gets three bursts")
	f.BoolVar(&s.Deletes, "deletes", false, "add a burst in which one client deletes with If-Match while the others put")
	f.StringSliceVar(&s.Faults, "faults", conform.Faults(), "network faults: none, latency (0 to 20 ms a message), cut (half of the clients lose messages)")
	f.DurationVar(&s.Timeout, "timeout", 0, "time limit of a request (default 5s)")
	f.Uint64Var(&s.Seed, "seed", 0, "seed of all random choices (default: drawn)")
	f.StringVar(&s.Dir, "dir", "results/runs", "directory in which the run directory is made")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object")
	s.LedgerSpec.Register(f)
	f.StringVar(&s.Name, "name", "", "with --ledger: `name` of the store in the ledger")
	return cmd
}

// login reads that of the environment.
func (s *conformSpec) login() {
	s.Key, s.Secret, s.Session = os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")
}

func conformS3(cmd *cobra.Command, s conformSpec) error {
	if len(s.Endpoints) == 0 {
		return exit.Usage("--endpoint is missing: the URL of an object store")
	}
	if s.Seed == 0 {
		s.Seed = rand.Uint64N(1e6) + 1
	}
	s.login()
	book, err := s.book()
	if err != nil {
		return err
	}
	dir, err := trial.NewDir(s.Dir, "conform-s3")
	if err != nil {
		return exit.Usage("--dir: %v", err)
	}
	if s.Prefix == "" {
		s.Prefix = "torture-" + dir.Name + "-"
	}
	done, err := s.ask(cmd.Context(), dir)
	if err != nil {
		return notJudged(dir, err)
	}
	v, err := conform.Judge(done, dir.File(conformHistory))
	if err != nil {
		return notJudged(dir, runs.Broken(err))
	}
	code := conformCode(cmd.Context(), v.Grade)
	// None of these keeps the others from being done: the test cannot be repeated.
	if err := errors.Join(writeConform(dir, v), s.show(cmd.OutOrStdout(), v, dir), done.Left, s.note(book, v)); err != nil {
		return exit.With(exit.Worse(code, exit.Harness), err)
	}
	return exit.Silent(code)
}

// notJudged names the history of what was asked and could not be judged, or removes a directory
// without any.
func notJudged(dir *trial.Dir, err error) error {
	if info, missing := os.Stat(dir.File(conformHistory)); missing != nil || info.Size() == 0 {
		dir.Discard()
		return err
	}
	return exit.Coded(fmt.Errorf("%w; the requests so far are in %s", err, dir.File(conformHistory)))
}

// show prints the verdict.
func (s conformSpec) show(w io.Writer, v conform.Verdict, dir *trial.Dir) error {
	if s.JSON {
		return report.Encode(w, v)
	}
	if err := tell(w, v, dir.File(conformHistory)); err != nil {
		return err
	}
	_, err := io.WriteString(w, "report   "+dir.File("report.html")+"\n")
	return err
}

// conformHistory is the file of what was asked and answered.
const conformHistory = "history.edn"

// ask asks the store, and writes the history into the directory.
func (s conformSpec) ask(ctx context.Context, dir *trial.Dir) (conform.Run, error) {
	f, err := dir.Create(conformHistory)
	if err != nil {
		return conform.Run{}, runs.Broken(err)
	}
	done, err := conform.Do(ctx, s.Config, f)
	err = errors.Join(err, f.Close())
	switch {
	case errors.Is(err, conform.ErrUnusable), errors.Is(err, conform.ErrUsage):
		return done, exit.Usage("%v", err)
	case err != nil:
		return done, runs.BrokenAfter(ctx, err)
	}
	return done, nil
}

// writeConform writes the verdict into the directory.
func writeConform(dir *trial.Dir, v conform.Verdict) error {
	var text strings.Builder
	if err := tell(&text, v, conformHistory); err != nil {
		return err
	}
	return errors.Join(dir.WriteJSON("result.json", v), dir.WriteText("report.txt", text.String()), conformPage(dir.File("report.html"), v, text.String()))
}

// tell writes the verdict and how its history is judged again.
func tell(w io.Writer, v conform.Verdict, history string) error {
	if err := v.Text(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "check    torture check "+history+" --model register --keys split --failed-cas\n")
	return err
}

// conformCode is the exit code of a grade.
func conformCode(ctx context.Context, grade string) int {
	switch {
	case ctx.Err() != nil:
		return exit.Interrupted
	case grade == conform.Conforms:
		return exit.OK
	case grade == conform.Broken:
		return exit.Violated
	}
	return exit.Unknown
}
