// Command mutation breaks a package in small ways, one at a time, and tells
// which of them no test notices.
//
// All mutants are compiled into one test binary, and the environment of a process
// says which one acts: building and linking for each would take longer than the
// tests. A mutant meets only those tests that come by it.
//
// Usage: mutation [flags] package directory...
//
// Exit code 1 means that less than -least of the mutants were killed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

type options struct {
	workers  int
	least    float64
	only     *regexp.Regexp  // of the keys of mutants
	before   map[string]bool // mutants that were killed before
	results  string
	markdown string
	slow     time.Duration // tests that cost more are left out
	run      string        // pattern of the tests
	args     []string
}

func main() {
	var o options
	only := flag.String("only", "", "pattern of the `names` of mutants to try; FILE:NAME is what is matched")
	flag.IntVar(&o.workers, "workers", 2, "how many mutants are tried at a time")
	flag.Float64Var(&o.least, "least", 90, "per cent of the mutants of each package that must be killed")
	flag.StringVar(&o.results, "results", "", "`file` for what became of each mutant, line by line while it goes on")
	again := flag.String("again", "", "`file` of results: what was killed then counts as killed, all others are tried")
	flag.StringVar(&o.markdown, "markdown", "", "Markdown `file` whose table is written anew")
	flag.DurationVar(&o.slow, "slow", time.Second, "leave out tests that take more of the processor")
	flag.StringVar(&o.run, "run", "^(Test|Fuzz|Example)", "`pattern` of the tests to run, such as those that are new, with -again")
	args := flag.String("args", "-test.short -histories 200", "flags of the tests")
	flag.Parse()
	o.args = strings.Fields(*args)
	var err error
	o.only, err = regexp.Compile(*only)
	if err == nil && *again != "" {
		o.before, err = readKilled(*again)
	}
	if err == nil {
		err = run(o, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// readKilled reads the names of the mutants that an earlier run has killed.
func readKilled(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, "\t"); len(f) > 1 && !outcome(f[1]).lives() {
			names[f[0]] = true
		}
	}
	return names, err
}

var errWeak = errors.New("too many mutants live")

// run tries the mutants of each package and prints the table.
func run(o options, dirs []string) error {
	reasons, err := equivalents(equivalentText)
	if err != nil {
		return err
	}
	out := os.Stderr
	if o.results != "" {
		if out, err = os.Create(o.results); err != nil {
			return err
		}
		defer out.Close()
	}
	var rows []row
	weak := false
	for _, dir := range dirs {
		r, err := try(o, dir, reasons, out)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		rows = append(rows, r)
		weak = weak || r.score() < o.least
	}
	fmt.Print(table(rows))
	if o.markdown != "" {
		if err := intoMarkdown(o.markdown, rows); err != nil {
			return err
		}
	}
	if weak {
		return errWeak
	}
	return nil
}
