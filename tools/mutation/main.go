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
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

type options struct {
	workers   int
	least     float64
	only      *regexp.Regexp  // of the keys of mutants
	before    map[string]bool // mutants that were killed before
	results   string
	markdown  string
	survivors string
	slow      time.Duration // tests that cost more are left out
	run       string        // pattern of the tests
	histories int           // that those tests compare which have such a flag
	args      []string
}

func main() {
	var o options
	only := flag.String("only", "", "pattern of the `names` of mutants to try; FILE:NAME is what is matched")
	flag.IntVar(&o.workers, "workers", 2, "how many mutants are tried at a time")
	flag.Float64Var(&o.least, "least", 90, "per cent of the mutants of each package that must be killed")
	flag.StringVar(&o.results, "results", "", "`file` for what became of each mutant, line by line while it goes on")
	again := flag.String("again", "", "`file` of results: what was killed then counts as killed, all others are tried")
	flag.StringVar(&o.markdown, "markdown", "", "Markdown `file` whose table is written anew")
	flag.DurationVar(&o.slow, "slow", 2*time.Second, "leave out tests that take more of the processor")
	flag.StringVar(&o.run, "run", "^(Test|Fuzz|Example)", "`pattern` of the tests to run, such as those that are new, with -again")
	flag.IntVar(&o.histories, "histories", 200, "how many random histories are compared, by tests that have such a flag")
	flag.StringVar(&o.survivors, "survivors", "", "`file` that names the mutants that live, which is brought up to date")
	sorted := flag.Bool("sort", false, "try nothing: put the file of survivors in order, and tell where the code has moved on")
	args := flag.String("args", "-test.short", "flags of the tests")
	flag.Parse()
	o.args = strings.Fields(*args)
	var err error
	o.only, err = regexp.Compile(*only)
	if err == nil && *again != "" {
		o.before, err = readKilled(*again)
	}
	switch {
	case err != nil:
	case *sorted:
		err = inOrder(o.survivors, flag.Args())
	default:
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
