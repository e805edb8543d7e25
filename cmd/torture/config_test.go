package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// inConfig makes a working directory with a configuration file.
func inConfig(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, configFile), []byte(text), 0o644); err != nil {
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
		{"unknown fault", "nemesis:\n- pause\n- latncy\n", `:2: nemesis: there is no "latncy"; did you mean latency?`},
		{"unknown workload", "workload: seckil\n", `:1: workload: there is no "seckil"; did you mean seckill?`},
		{"unknown server", "images:\n  reddis: x\n", `:2: unknown key "reddis"; did you mean redis?`},
		{"unknown file of TLS", "tls:\n  cat: x\n", `:2: unknown key "cat"`},
		{"two documents of one key", "seed: 1\nseed: 2\n", `"seed"`},
		{"a password", "password: secret\n", `:1: unknown key "password"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseConfig(configFile, []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want an error that says %s", err, tt.want)
			}
		})
	}
}

// TestConfigOrder gives one setting in every place: flag, environment, file, default.
func TestConfigOrder(t *testing.T) {
	inConfig(t, "clients: 2\nlocks: 2\nkeys: 2\nnemesis: [pause, latency]\ntls: {ca: c.pem}\nimages: {redis: a, etcd: b}\nbackend: etcd\n")
	t.Setenv("TORTURE_CLIENTS", "3")
	t.Setenv("TORTURE_LOCKS", "3")
	t.Setenv("TORTURE_IMAGE_ETCD", "from-env")
	var s runSpec
	run := &cobra.Command{Use: "run"}
	s.register(run.Flags())
	(&cobra.Command{Use: "torture"}).AddCommand(run)
	if err := run.ParseFlags([]string{"--clients", "4", "--driver", "x"}); err != nil {
		t.Fatal(err)
	}
	if err := configure(run); err != nil {
		t.Fatal(err)
	}
	got := []any{s.Clients, s.Locks, s.Keys, s.Sections, s.Nemesis, s.TLSCA, s.Images, s.Backend}
	want := []any{4, 3, 2, 0, []string{"pause", "latency"}, "c.pem", map[string]string{"redis": "a"}, "redlock"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for name, origin := range map[string]string{"clients": "", "locks": "environment TORTURE_LOCKS", "keys": "torture.yaml:3"} {
		if o := originOf(run.Flags().Lookup(name)); o != origin {
			t.Errorf("%s comes from %q, want %q", name, o, origin)
		}
	}
}

// TestConfigOfOthers gives another command only what says where servers come from.
func TestConfigOfOthers(t *testing.T) {
	inConfig(t, "cluster: process\nduration: 7s\n")
	other := &cobra.Command{Use: "bench"}
	cluster := other.Flags().String("cluster", "auto", "")
	duration := other.Flags().Duration("duration", 0, "")
	(&cobra.Command{Use: "torture"}).AddCommand(other)
	if err := configure(other); err != nil {
		t.Fatal(err)
	}
	if *cluster != "process" || *duration != 0 {
		t.Errorf("cluster %s, duration %s", *cluster, *duration)
	}
}

// TestSplitDSN takes endpoints apart. No error repeats what may be a secret.
func TestSplitDSN(t *testing.T) {
	type parts struct {
		User, Password, Database, Addr string
		TLS                            bool
	}
	for text, want := range map[string]parts{
		"h:1":            {Addr: "h:1"},
		"rediss://u:p@h": {"u", "p", "", "h:6379", true},
		"postgres://u:p%40x@h:5/d?sslmode=verify-full": {"u", "p@x", "d", "h:5", true},
		"mysql://u@h/d":              {"u", "", "d", "h:3306", false},
		"u:p@tcp(h:3306)/d?tls=true": {"u", "p", "d", "h:3306", true},
		"https://consul":             {Addr: "consul:8500", TLS: true},
	} {
		var got parts
		var err error
		got.User, got.Password, got.Database, got.Addr, got.TLS, err = splitDSN(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"u:hush@h:1", "ftp://u:hush@h", "u:hush@tcp(h", "redis://u:hush@h?x=hush2", "redis://u:hush@h:%zz"} {
		if _, _, _, _, _, err := splitDSN(text); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", text, err)
		}
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
		c, err := parseConfig(configFile, text)
		if err != nil {
			return
		}
		again, err := parseConfig(configFile, text)
		if err != nil || len(again.settings) != len(c.settings) {
			t.Errorf("read twice: %v", err)
		}
		for name, s := range c.settings {
			if s.origin == "" || runFlags().Lookup(name) == nil {
				t.Errorf("setting %q from %q", name, s.origin)
			}
		}
	})
}
