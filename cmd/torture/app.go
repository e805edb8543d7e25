package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/app"
	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/cluster/external"
	"locktorture/internal/exit"
	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/runs"
	"locktorture/trial"
	"locktorture/trial/meter"
	"locktorture/wire"
	"locktorture/wire/protocols"
)

// An appSpec is what the flags of torture app say.
type appSpec struct {
	Compose         string
	Replicas        string
	Dir             string
	Expect          string
	Nemesis         []string
	Duration        time.Duration
	Seed            uint64
	MinRuns         int
	StopOnViolation bool
	JSON            bool
	Quiet           bool
	runs.ServerSpec
	runs.WireSpec
	runs.LedgerSpec

	site docker.Site // nil: nothing runs in containers
}

func newApp() *cobra.Command {
	var s appSpec
	cmd := &cobra.Command{
		Use:   "app [app.yaml or its directory]",
		Short: "test replicas of your program: does each job run once, on one replica at a time?",
		Long: `app starts replicas of your unmodified program, injects faults, and judges what the
replicas did. The program runs jobs. A run of a job can have a key, which names the
work of this run. app reports these anomalies:
  ran-together  two replicas ran a job at the same time
  ran-twice     two runs did the work of the same key
  stale-effect  a replica began an effect after another replica had begun the next run
  two-leaders   two replicas were leaders at the same time
  lost          no run did the work of a requested key, or an effect disappeared
  stuck         no run began within the time that the job promises, although no fault
                was active

app.yaml says what to start and what each job promises. torture app init writes an
example of app.yaml.

app sets these variables in the environment of each replica:
  PORT            a free port
  REPLICA         the number of the replica, from 1
  REPLICAS        the number of replicas
  DIR             a directory of the replica's own, empty when the replica first starts
  TORTURE_EVENTS  the URL to which the replica reports its jobs: POST
                  $TORTURE_EVENTS/begin, /try, /effect or /end with
                  {"job": ..., "key": ...}, and wait for the answer;
                  examples/app has short clients
  OTEL_EXPORTER_OTLP_ENDPOINT
                  the URL to which the replica sends spans; set only if a job uses span

In app.yaml, the values of command and env can contain these variables as ${NAME}. They
can also contain ${PORT_1} for the port of replica 1, ${PORT_2} for the port of replica
2, and so on. For each server, such as redis, there are ${redis} (the addresses),
${redis.url}, ${redis.host} and ${redis.port}. These are the addresses of proxies, called
links: each replica reaches the server through links of its own. $${ stands for a literal
${.

A replica is either a process or a container. A process is started by the command in
app.yaml, and all its descendants belong to the replica. A container is made from the
image in app.yaml, or from a service in a compose file. Each container has a network of
its own, where the name of a server leads to the replica's links to this server. A
container has no DIR. A container of a compose file has no PORT either. If a replica
exits, app starts the replica again after a second, unless app.yaml says once: true.

exit codes: as in torture --help, except for 5: your program could not be started, or
exited again and again`,
		Example: `  torture app init
  torture app --nemesis pause --duration 30s
  torture app billing/app.yaml --expect safe
  torture app --compose docker-compose.yml --replicas worker=3`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seeded := cmd.Flags().Changed("seed")
			if !seeded {
				s.Seed = rand.Uint64N(1_000_000)
			}
			path := filepath.Dir(s.Compose) // "." if there is none
			if len(args) > 0 {
				path = args[0]
			}
			return runApp(cmd, s, path)
		},
	}
	s.register(cmd.Flags())
	cmd.AddCommand(newAppInit())
	return cmd
}

// register adds the flags.
func (s *appSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.Compose, "compose", "", "compose file whose services are the replicas; app.yaml in the same directory defines the jobs")
	f.StringVar(&s.Replicas, "replicas", "", "number of replicas (default: as in app.yaml); with --compose: SERVICE=NUMBER, such as worker=3")
	f.StringVar(&s.Dir, "dir", "results/runs", "directory for the run directories")
	f.StringVar(&s.Expect, "expect", "", "expected verdict, GRADE[+anomaly...]")
	f.StringSliceVar(&s.Nemesis, "nemesis", nil, "faults to inject (default: as in app.yaml): none, or some of pause, kill, restart, partition, latency, hold, clock, client-clock")
	f.DurationVar(&s.Duration, "duration", 0, "length of the phase with faults (default: as in app.yaml)")
	f.Uint64Var(&s.Seed, "seed", 0, "seed of the faults (default: drawn)")
	f.BoolVar(&s.StopOnViolation, "stop-on-violation", false, "end the run at the first observed violation")
	f.IntVar(&s.MinRuns, "min-runs", 1, "minimum number of runs; with fewer, the verdict is unknown")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	s.ServerSpec.Register(f)
	s.WireSpec.Register(f, "64")
	s.LedgerSpec.Register(f)
}

func newAppInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIRECTORY]",
		Short: "write an example of app.yaml",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := filepath.Join(strings.Join(args, ""), app.FileName)
			f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, os.ErrExist) {
				return exit.Usage("%s exists already; torture did not change the file", path)
			}
			if err != nil {
				return exit.Usage("%v; name a writable directory", err)
			}
			_, err = io.WriteString(f, app.Sample)
			if err := errors.Join(err, f.Close()); err != nil {
				return runs.Broken(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: change command, servers and jobs in this file, then run: torture app %s\n", path, shellquote.Join(filepath.Dir(path)))
			return nil
		},
	}
}

// runApp tortures one app and shows what it came to.
func runApp(cmd *cobra.Command, s appSpec, path string) (err error) {
	surviveReaders()
	cfg, act, expect, err := s.trial(cmd, path)
	if s.site != nil {
		defer s.leave(cmd.ErrOrStderr())
	}
	if err != nil {
		return err
	}
	book, err := s.book(act)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	t, err := trial.Run(ctx, cfg)
	if err != nil {
		return runs.Run{}.Explain(ctx, cfg.Secrets.CleanError(err))
	}
	code := runs.ExitCode(t.Result, s.Expect, expect, t.Failure, ctx.Err() != nil)
	t.Run.Exit = code
	if t.Failure != nil {
		who := "the harness"
		if runs.FailureCode(t.Failure) == exit.Driver {
			who = act.File.App
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", who, cfg.Secrets.CleanError(t.Failure))
	}
	shown := runs.Run{Expected: expect}
	shown.JSON, shown.Expect = s.JSON, s.Expect
	err = runs.Show(cmd, t, shown)
	if cerr := t.Close(); cerr != nil {
		code = runs.Unclosed(cmd.ErrOrStderr(), t, code, cerr, errors.Is(cerr, external.ErrLeft))
	}
	if err != nil {
		return exit.Coded(t.Dir.Kept(err))
	}
	if t.Failure == nil && !t.Result.Harness && ctx.Err() == nil {
		if err := book.End(registry.Backend{Name: act.File.App}, t.Run, t.Result, t.Dir, false); err != nil {
			return exit.Broken(err)
		}
	}
	return exit.Silent(code)
}

// book begins the line of the run in the ledger, if there is to be one. Everybody must be able to
// repeat the run.
func (s *appSpec) book(act *app.Act) (*runs.Bookkeeper, error) {
	k, err := s.Bookkeeper(commit)
	if k == nil || err != nil {
		return nil, err
	}
	if !k.HasApp(act.File.App, act.File.Dir) {
		return nil, exit.Usage("--ledger: only for the apps in torture's own folder apps, because everybody must be able to repeat the runs of a ledger")
	}
	return k, k.BeginKind(ledger.App, registry.Backend{Name: act.File.App}, ledger.Faults(act.Work.Faults.Wanted))
}

// trial checks the flags and the file, and returns the configuration of the run.
func (s *appSpec) trial(cmd *cobra.Command, path string) (trial.Config, *app.Act, checker.Expectation, error) {
	var none trial.Config
	expect, err := runs.ParseExpect(s.Expect)
	if err == nil {
		err = s.ServerSpec.Check("--cluster is only for servers that torture starts; write the addresses of your own servers into app.yaml")
	}
	if err != nil {
		return none, nil, expect, err
	}
	limit, err := s.WireSpec.Bytes()
	if err != nil {
		return none, nil, expect, err
	}
	f, err := app.Read(path, func(f *app.File) error { return s.contain(cmd.Context(), f) })
	if errors.Is(err, docker.ErrNotCompiled) {
		return none, nil, expect, err
	}
	if err != nil {
		return none, nil, expect, exit.Usage("%v", err)
	}
	if err := f.Missing(); err != nil {
		return none, nil, expect, exit.Usage("%v", err)
	}
	if s.Duration > 0 {
		f.Duration = s.Duration
	}
	if len(s.Nemesis) == 1 && s.Nemesis[0] == "none" {
		s.Nemesis = []string{}
	}
	act := app.New(f, s.Seed, s.Nemesis)
	act.Secrets = secretsOf(f)
	for _, name := range s.Nemesis {
		if known := act.Work.Faults.Known; known[name] == nil {
			return none, nil, expect, runs.UnknownName("nemesis", name, known)
		}
	}
	m := meter.New(cmd.ErrOrStderr(), f.Duration, s.Quiet)
	return trial.Config{
		Base: s.Dir, Called: f.App + "-" + strconv.FormatUint(s.Seed, 10),
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) { return s.servers(ctx, act, d) },
		Meet:  func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error) { return act.Lock(), nil },
		Act:   act, Clients: f.Replicas, TTL: f.TTL,
		Options: checker.Options{MinGrants: s.MinRuns, Jobs: f.Promises()},
		Wire:    limit, WireAsked: cmd.Flags().Changed("wire"), Commit: commit, Secrets: act.Secrets, Decoder: protocols.New(nil).For, StopOnViolation: s.StopOnViolation,
		Label: func(r *report.Run, _ trial.Setting) {
			r.Backend, r.Workload, r.Expect = f.App, "app", s.Expect
			r.Reproduce = s.reproduce(path, r.Nemeses, f)
		},
		Watch: trial.Watch{
			Ready:    func(r report.Run, d *trial.Dir) { s.begun(cmd.ErrOrStderr(), f, r, d) },
			Progress: m.Update, Found: m.Found, Over: m.Done,
		},
	}, act, expect, nil
}

// servers starts the servers of the file.
func (s appSpec) servers(ctx context.Context, act *app.Act, d *trial.Dir) (trial.Servers, error) {
	if s.site != nil {
		if err := act.Serve(ctx, s.site, d.Path); err != nil {
			return trial.Servers{}, exit.With(exit.Driver, err)
		}
	}
	c, why, err := act.Start(func(server app.Server, links int) (*cluster.Cluster, string, error) {
		if server.Given != nil {
			return joinServer(ctx, server, links)
		}
		return s.Start(ctx, registry.Backend{}, cluster.Config{Topology: server.Topology, Clients: links, Dir: d.Path, Forward: cluster.Plain})
	})
	if e := new(exit.Error); errors.As(err, &e) {
		return trial.Servers{}, err
	}
	if err != nil {
		return trial.Servers{}, runs.ServedNot(err, "--cluster "+s.Cluster)
	}
	return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
}

// joinServer makes links to a server that the user runs, and looks at it during the run.
func joinServer(ctx context.Context, s app.Server, links int) (*cluster.Cluster, string, error) {
	why := s.Name + " is your own server"
	if s.Topology == app.PlainHTTP {
		c, err := s.Adopt(links)
		return c, why, err
	}
	x, err := registry.ExternalSpec{Endpoints: s.Endpoints()}.Read(ctx)
	if err != nil {
		return nil, "", exit.Usage("server %s: %v", s.Name, err)
	}
	j, err := x.Join(ctx, s.Topology, "", links)
	if err != nil {
		return nil, "", exit.Usage("server %s: %v; docs/clusters.md says what the server must allow", s.Name, err)
	}
	return j.Cluster, why, nil
}

// secretsOf returns the logins to the servers that the user runs.
func secretsOf(f *app.File) (all trial.Secrets) {
	for _, s := range f.Servers {
		user, password := s.Login()
		switch {
		case password == "":
		case all.None():
			all = trial.Secrets{User: user, Password: password}
		default:
			next := all
			all = trial.Secrets{User: user, Password: password, Next: &next}
		}
	}
	return all
}

// decoderOf returns the decoder of the traffic in drawings: a program may speak to any server.
func decoderOf(run report.Run) func(protocol string) wire.Decoder {
	if !run.Options.IsApp() {
		return nil
	}
	return protocols.New(registry.Scripts()).For
}

// begun says what is about to happen.
func (s appSpec) begun(out io.Writer, f *app.File, r report.Run, d *trial.Dir) {
	if s.Quiet {
		return
	}
	lines := words.Hang(fmt.Sprintf("torture app %s · %d replicas · %s for %s, ttl %s, seed %d", f.App, f.Replicas, runs.OrNone(r.Nemeses), f.Duration, f.TTL, s.Seed), runs.Look(out).Width)
	lines = append(lines, "servers: "+r.ProvisionerWhy)
	if left := slices.Concat(r.LeftOut, f.LeftOut); len(left) > 0 {
		lines = append(lines, "left out: "+strings.Join(left, "; "))
	}
	fmt.Fprintln(out, strings.Join(append(lines, "run: "+d.Path), "\n"))
}

// reproduce is the command that runs the same again.
func (s appSpec) reproduce(path string, nemeses []string, f *app.File) string {
	list := strings.Join(nemeses, ",")
	if list == "" {
		list = "none"
	}
	words := []string{"torture", "app", path}
	if s.Compose != "" {
		words = append(words, "--compose", s.Compose)
	}
	if s.Replicas != "" {
		words = append(words, "--replicas", s.Replicas)
	}
	return shellquote.Join(append(words, "--nemesis", list, "--duration", f.Duration.String(), "--seed", strconv.FormatUint(s.Seed, 10), "--cluster", s.Cluster)...)
}
