package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A suite is the tests of a package, in a binary with all mutants.
type suite struct {
	binary, dir, scratch string
	args                 []string // flags of every run, such as -test.short
	tests                []*test  // those that cost least come first
}

// A test is a top-level test or the seeds of a fuzz target.
type test struct {
	name    string
	cost    time.Duration // of the processor, without a mutant
	reaches []byte        // by mutant: 1 where the test comes by
}

// measure runs each test alone, without a mutant: what it costs and reaches.
// All of them must pass; those that cost more than slow are left out.
func (s *suite) measure(run string, mutants int, slow time.Duration) error {
	list := exec.Command(s.binary, "-test.list", run)
	list.Dir = s.dir
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list tests: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		t := &test{name: name}
		at := filepath.Join(s.scratch, "reached")
		if err := os.WriteFile(at, make([]byte, mutants+1), 0o644); err != nil {
			return err
		}
		cmd := s.command([]*test{t}, "MUTANT_REACHED="+at)
		text, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s fails without a mutant: %w\n%s", name, err, text)
		}
		t.cost = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if t.reaches, err = os.ReadFile(at); err != nil {
			return err
		}
		if t.cost <= slow {
			s.tests = append(s.tests, t)
		}
	}
	slices.SortStableFunc(s.tests, func(a, b *test) int { return int(a.cost - b.cost) })
	return nil
}

// knows reports whether the tests of the package have a flag of their own.
func (s *suite) knows(flag string) bool {
	usage, _ := exec.Command(s.binary, "-h").CombinedOutput() // its exit code depends on the flag package
	return strings.Contains(string(usage), "\n  -"+flag+" ")
}

// command runs some of the tests in one process.
func (s *suite) command(tests []*test, env ...string) *exec.Cmd {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	args := append([]string{"-test.run", "^(" + strings.Join(names, "|") + ")$", "-test.failfast", "-test.timeout", "20m"}, s.args...)
	cmd := exec.Command(s.binary, args...)
	cmd.Dir = s.dir
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=1"), env...)
	return cmd
}
