package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/runs"
)

// inConfig makes a working directory with a configuration file.
func inConfig(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.Name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown key", "backend: redlock\nduraton: 5s\n", `:2: unknown key "duraton"; did you mean duration?`},
		{"not a duration", "duration: long\n", `:1: duration: "long" is not a duration`},
		{"a list of what is one", "clients: [1, 2]\n", `:1: a plain value is needed here`},
		{"no value", "clients:\n", `:1: a plain value is needed here`},
		{"unknown fault", "nemesis:\n- pause\n- latncy\n", `:3: nemesis: there is no "latncy"; did you mean latency?`},
		{"unknown workload", "workload: seckil\n", `:1: workload: there is no "seckil"; did you mean seckill?`},
		{"unknown server", "images:\n  reddis: x\n", `:2: unknown key "reddis"; did you mean redis?`},
		{"unknown file of TLS", "tls:\n  cat: x\n", `:2: unknown key "cat"`},
		{"two documents of one key", "seed: 1\nseed: 2\n", `"seed"`},
		{"a value out of range", "clients: 0\n", `:1: clients 0: at least one is needed`},
		{"no spread", "seed: 1\nhold: soon\n", `:2: hold`},
		{"a driver called like a lock", "drivers:\n  redlock:\n    command: x\n    topology: redis\n", `:2: a driver is called "redlock"`},
		{"a password", "password: secret\n", `:1: unknown key "password"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Parse(config.Name, []byte(tt.text), runs.Keys())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want an error that says %s", err, tt.want)
			}
		})
	}
}

// TestConfigErrors finds all that is wrong, in the order of the lines.
func TestConfigErrors(t *testing.T) {
	inConfig(t, `backend: redlok
duraton: 5s
nemesis: [pause, latncy, clok]
clients: 0
images:
  reddis: x
  etcd: []
drivers:
  mine:
    comand: x
    topology: reddis
  yours:
    command: x
`)
	var out, errOut strings.Builder
	if code := inProcess(t.Context(), []string{"config", "validate"}, nil, &out, &errOut); code != exit.BadUsage {
		t.Errorf("exit code %d", code)
	}
	want := []string{
		`1: backend: there is no "redlok"; did you mean redlock?`,
		`2: unknown key "duraton"; did you mean duration?`,
		`3: nemesis: there is no "latncy"; did you mean latency?`,
		`3: nemesis: there is no "clok"; did you mean clock?`,
		`4: clients 0: at least one is needed`,
		`6: unknown key "reddis"; did you mean redis?`,
		`7: a plain value is needed here`,
		`10: unknown key "comand"; did you mean command?`,
		`11: no topology is called "reddis"; did you mean redis?`,
		`12: driver yours has no topology; there are ` + strings.Join(registry.Topologies(), ", "),
	}
	var lines []string
	for _, line := range want {
		lines = append(lines, "torture: "+config.Name+":"+line)
	}
	lines = append(lines, "torture: see torture config validate --help", "")
	if d := cmp.Diff(lines, strings.Split(errOut.String(), "\n")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestConfigOrder gives one setting in every place: flag, environment, file, default.
func TestConfigOrder(t *testing.T) {
	inConfig(t, "clients: 2\nlocks: 2\nkeys: 2\nnemesis: [pause, latency]\ntls: {ca: c.pem}\nimages: {redis: a, etcd: b}\nbackend: etcd\n")
	t.Setenv("TORTURE_CLIENTS", "3")
	t.Setenv("TORTURE_LOCKS", "3")
	t.Setenv("TORTURE_IMAGE_ETCD", "from-env")
	var s runs.Spec
	run := &cobra.Command{Use: "run"}
	s.Register(run.Flags())
	(&cobra.Command{Use: "torture"}).AddCommand(run)
	if err := run.ParseFlags([]string{"--clients", "4", "--driver", "x"}); err != nil {
		t.Fatal(err)
	}
	if err := readEnvironment().configure(run); err != nil {
		t.Fatal(err)
	}
	got := []any{s.Clients, s.Locks, s.Keys, s.Sections, s.Nemesis, s.TLSCA, s.Images, s.Backend}
	want := []any{4, 3, 2, 0, []string{"pause", "latency"}, "c.pem", map[string]string{"redis": "a", "etcd": "from-env"}, "redlock"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for name, origin := range map[string]string{"clients": "", "locks": "environment TORTURE_LOCKS", "keys": "torture.yaml:3", "image": "environment TORTURE_IMAGE_ETCD, torture.yaml:6"} {
		if o := config.Origin(run.Flags().Lookup(name)); o != origin {
			t.Errorf("%s comes from %q, want %q", name, o, origin)
		}
	}
}

// TestNoConfig takes nothing but flags.
func TestNoConfig(t *testing.T) {
	inConfig(t, "clients: 2\nimages: {redis: a}\n")
	t.Setenv("TORTURE_LOCKS", "3")
	t.Setenv("TORTURE_IMAGE_ETCD", "b")
	var out, errOut strings.Builder
	if code := inProcess(t.Context(), []string{"config", "show", "--no-config", "--keys", "4"}, nil, &out, &errOut); code != exit.OK {
		t.Errorf("exit code %d: %s", code, &errOut)
	}
	for name, value := range map[string]string{"clients": "5 default", "locks": "1 default", "keys": "4 flag", "image": "[] default"} {
		found := false
		for line := range strings.Lines(out.String()) {
			found = found || strings.Join(strings.Fields(line), " ") == name+" "+value
		}
		if !found {
			t.Errorf("%s is not %s in\n%s", name, value, &out)
		}
	}
}

// TestServersEverywhere gives every command that takes --cluster the images too, from flag,
// environment and file.
func TestServersEverywhere(t *testing.T) {
	inConfig(t, "cluster: docker\nimages: {redis: a, etcd: b}\n")
	t.Setenv("TORTURE_IMAGE_ETCD", "c")
	want := map[string]string{"redis": "a", "etcd": "c", "consul": "d"}
	env, seen := readEnvironment(), 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if cmd.Flags().Lookup("cluster") == nil {
			return
		}
		seen++
		if err := cmd.ParseFlags([]string{"--image", "consul=d"}); err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
			return
		}
		if err := env.prepare(cmd, nil); err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
		}
		got, err := cmd.Flags().GetStringToString("image")
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", cmd.CommandPath(), err, d)
		}
		if c := cmd.Flags().Lookup("cluster").Value.String(); c != "docker" {
			t.Errorf("%s: cluster %s", cmd.CommandPath(), c)
		}
	}
	visit(newRoot(env))
	if seen < 7 { // run, matrix, bench, scenario run, driver check, driver cost, config show
		t.Errorf("%d commands take --cluster", seen)
	}
}

// TestConfigOfOthers gives another command only what says where servers come from.
func TestConfigOfOthers(t *testing.T) {
	inConfig(t, "cluster: process\nduration: 7s\n")
	other := &cobra.Command{Use: "bench"}
	cluster := other.Flags().String("cluster", "auto", "")
	duration := other.Flags().Duration("duration", 0, "")
	(&cobra.Command{Use: "torture"}).AddCommand(other)
	if err := readEnvironment().configure(other); err != nil {
		t.Fatal(err)
	}
	if *cluster != "process" || *duration != 0 {
		t.Errorf("cluster %s, duration %s", *cluster, *duration)
	}
}

// FuzzConfig reads anything without panic; what it accepts it accepts again.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"", "backend: redlock\n", "nemesis: [pause]\noption: {a: b}\n", "tls: true\n", "tls: {ca: x}\n", "images: {redis: a}\n",
		"drivers:\n  a:\n    command: x 'y z'\n    topology: redis\n    needs: [sh]\n", "a: &a [*a]\n", "<<: {seed: 1}\n", "- 1\n", "\t", "? [1]\n: 2\n", "seed: !!binary x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse(config.Name, text, runs.Keys())
		if err != nil {
			return
		}
		again, err := config.Parse(config.Name, text, runs.Keys())
		if err != nil || len(again.Settings) != len(c.Settings) {
			t.Errorf("read twice: %v", err)
		}
		for name, s := range c.Settings {
			if s.Origin == "" || runs.Flags().Lookup(name) == nil {
				t.Errorf("setting %q from %q", name, s.Origin)
			}
		}
	})
}
