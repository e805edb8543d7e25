package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/atomicfile"
)

// newSelftest wires the commands that test torture itself.
func newSelftest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "show that what is broken is found, and that what is correct is not accused",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSelftestMutants(), newSelftestHazards(), newSelftestControls())
	return cmd
}

// A selftestSpec is what the flags of every selftest say.
type selftestSpec struct {
	Seeds    int
	Seed     uint64
	Jobs     int
	Duration time.Duration // of each run; 0: what torture run does
	Out      string
	Keep     bool
	Markdown string
	JSON     bool
	Quiet    bool
	serverSpec
}

// register adds the flags of a table that plays each row with some seeds.
func (s *selftestSpec) register(f *pflag.FlagSet) {
	s.registerShared(f)
	f.IntVar(&s.Seeds, "seeds", 10, "runs of each row, with seeds that follow each other")
	f.DurationVar(&s.Duration, "duration", s.Duration, "of each run; 0: that of torture run")
}

// registerShared adds the flags of all tables.
func (s *selftestSpec) registerShared(f *pflag.FlagSet) {
	f.Uint64Var(&s.Seed, "seed", 1, "the first seed")
	f.IntVar(&s.Jobs, "jobs", 2, "runs at the same time; too many slow each other down")
	s.serverSpec.register(f)
	f.StringVar(&s.Out, "out", "", "directory of the runs (default: results/selftest/<time>)")
	f.BoolVar(&s.Keep, "keep", false, "keep the directories of all runs, not only of those that are not as expected")
	f.StringVar(&s.Markdown, "markdown", "", "write the table into this file, between its two markers")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each row instead of the table")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
}

// settle checks the flags and fills in what is computed.
func (s *selftestSpec) settle() error {
	if err := s.serverSpec.check("its rows are of servers of its own"); err != nil {
		return err
	}
	switch {
	case s.Seeds < 1:
		return usage("--seeds %d: at least one is needed", s.Seeds)
	case s.Jobs < 1:
		return usage("--jobs %d: at least one is needed", s.Jobs)
	case s.Duration < 0:
		return usage("--duration %s: must not be negative", s.Duration)
	}
	if s.Out == "" {
		s.Out = filepath.Join("results", "selftest", time.Now().Format("20060102-150405"))
	}
	return nil
}

// seeds are those of each row.
func (s *selftestSpec) seeds() []uint64 {
	var all []uint64
	for i := range s.Seeds {
		all = append(all, s.Seed+uint64(i))
	}
	return all
}

// section is what stands in the file of --markdown between the markers of a table.
type section struct{ name string }

func (t section) begin() string {
	return fmt.Sprintf("<!-- %s: written by torture selftest -->\n", t.name)
}
func (t section) end() string { return fmt.Sprintf("<!-- end of %s -->\n", t.name) }

// replaced is a page with another table.
func (t section) replaced(page, table string) (string, error) {
	before, rest, ok := strings.Cut(page, t.begin())
	_, after, closed := strings.Cut(rest, t.end())
	if !ok || !closed {
		return "", fmt.Errorf("the file lacks the markers %s … %s", strings.TrimSpace(t.begin()), strings.TrimSpace(t.end()))
	}
	return before + t.begin() + table + t.end() + after, nil
}

// check tells before anything is run that the table cannot be written.
func (t section) check(path string) error {
	if path == "" {
		return nil
	}
	page, err := os.ReadFile(path)
	if err == nil {
		_, err = t.replaced(string(page), "")
	}
	if err != nil {
		return usage("--markdown %s: %v", path, err)
	}
	return nil
}

// write puts the table into the file: beside it first, so that it is never half written.
func (t section) write(path, table string) error {
	if path == "" {
		return nil
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return broken(err)
	}
	text, err := t.replaced(string(page), table)
	if err != nil {
		return broken(err)
	}
	if err := atomicfile.WriteText(path, text); err != nil {
		return broken(err)
	}
	return nil
}
