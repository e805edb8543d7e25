package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/runs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with testdata/golden/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", path, d)
	}
}

// within fails on a line that is longer than so many characters.
func within(t *testing.T, what, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%s: a line of %d characters, at most %d fit: %s", what, n, width, line)
		}
	}
}

// TestHelp shows the help of the program and of torture run, and holds that of every command
// within 100 columns.
func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for name, args := range map[string][]string{"help.txt": {"--help"}, "run-help.txt": {"run", "--help"}} {
		var out bytes.Buffer
		if code := inProcess(t.Context(), args, nil, &out, io.Discard); code != exit.OK {
			t.Fatalf("exit code %d", code)
		}
		golden(t, name, out.String())
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.InitDefaultHelpFlag()
		if err := cmd.Help(); err != nil {
			t.Error(err)
		}
		within(t, cmd.CommandPath()+" --help", out.String(), cli.Width)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(readEnvironment()))
}

// TestRunGroups: every flag of torture run stands in one group, and a group has no other.
func TestRunGroups(t *testing.T) {
	var grouped []string
	for _, g := range runGroups() {
		for _, name := range g.Flags {
			if slices.Contains(grouped, name) {
				t.Errorf("--%s stands in two groups", name)
			}
			if runs.Flags().Lookup(name) == nil {
				t.Errorf("group %q has --%s, which torture run has not", g.Title, name)
			}
			grouped = append(grouped, name)
		}
	}
	runs.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(grouped, f.Name) {
			t.Errorf("--%s stands in no group of runGroups", f.Name)
		}
	})
}

// TestListsFit holds every list, and all that is told of one row, within a terminal of 80
// columns and one of 120.
func TestListsFit(t *testing.T) {
	for width, columns := range map[int]string{80: "80", 120: "120"} {
		t.Setenv("COLUMNS", columns)
		show := func(args ...string) string {
			var out, errOut bytes.Buffer
			if code := inProcess(t.Context(), args, nil, &out, &errOut); code != exit.OK {
				t.Fatalf("%q: exit code %d: %s", args, code, &errOut)
			}
			within(t, strings.Join(args, " "), out.String(), width)
			return out.String()
		}
		for _, kind := range listed() {
			show("list", kind)
		}
		show("scenario", "list")
		for _, name := range scenarioNames() {
			show("scenario", "list", name)
		}
		golden(t, "nemesis-"+columns+".txt", show("list", "nemesis", "pause"))
		for _, name := range []string{"redlock", "etcd-concurrency"} {
			show("list", "backends", name)
		}
	}
}
