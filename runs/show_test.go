package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/pflag"

	"locktorture/locks"
	"locktorture/registry"
	"locktorture/trial"
)

// notAgain are the flags that do not change what a run is.
var notAgain = []string{"json", "quiet", "dir", "repeat", "until-fail", "ledger"}

// TestReproduce gives every flag a value that is not its default, one after the other: the
// line must say it, so that it means the same where another torture.yaml lies.
func TestReproduce(t *testing.T) {
	Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(notAgain, f.Name) {
			return
		}
		t.Run(f.Name, func(t *testing.T) {
			for _, tokens := range []bool{false, true} {
				roundTrip(t, f, otherValue(f), tokens)
			}
		})
	})
	t.Run("fencing off where it is not usual", func(t *testing.T) {
		roundTrip(t, Flags().Lookup("fencing"), "off", true)
	})
	t.Run("memory where it is not usual", func(t *testing.T) {
		roundTrip(t, Flags().Lookup("store"), "memory", true, "--workload", "file-append")
	})
}

// roundTrip writes the line of a run with one flag set, and reads it.
func roundTrip(t *testing.T, f *pflag.Flag, value string, tokens bool, more ...string) {
	t.Helper()
	var s Spec
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.Register(flags)
	args := append(more, fmt.Sprintf("--%s=%s", f.Name, value))
	if f.Name != "endpoints" { // without any the flags beside them mean nothing
		args = append(args, "--endpoints", "h:1")
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	theirs := registry.External{Endpoints: s.Endpoints, Database: s.Database, UserFile: s.UserFile, PasswordFile: s.PasswordFile}
	if s.TLS {
		theirs.TLS = &locks.TLS{}
	}
	traits := locks.Traits{Token: tokens}
	line := Run{Spec: s, Theirs: theirs, Workload: s.Workloads, Seed: s.FirstSeed}.reproduce(cmp.Or(s.Fencing, trial.UsualFencing(traits)), s.Nemesis, traits)
	words, err := shellquote.Split(line)
	if err != nil || !strings.HasPrefix(line, "torture run ") {
		t.Fatal(line, err)
	}
	var again Spec
	flags = pflag.NewFlagSet("run", pflag.ContinueOnError)
	again.Register(flags)
	without := flags.Bool(NoConfig, false, "")
	if err := flags.Parse(words[2:]); err != nil {
		t.Fatal(line, err)
	}
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	new(Spec).Register(set)
	if err := set.Set(f.Name, value); err != nil {
		t.Fatal(err)
	}
	if got, want := flags.Lookup(f.Name).Value.String(), set.Lookup(f.Name).Value.String(); got != want {
		t.Errorf("%s is %s, not %s: %s", f.Name, got, want, line)
	}
	if !*without {
		t.Errorf("another torture.yaml could change it: %s", line)
	}
}

// otherValue is one that is not the default of a flag.
func otherValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return map[string]string{"true": "false", "false": "true"}[f.DefValue]
	case "duration":
		return "77s"
	case "stringSlice":
		return "a,b"
	case "stringToString":
		return "redis=a b"
	case "string":
		return "it's a:b,c 'd'"
	}
	return "77"
}
