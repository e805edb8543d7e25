package runs

import (
	"bytes"
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/internal/exit"
)

// TestRepeat: an error in a later run does not take away the summary of the runs before.
func TestRepeat(t *testing.T) {
	failed := errors.New("no server starts")
	for _, c := range []struct {
		fails uint64 // the seed of the run that fails
		want  string
	}{
		{1, ""},
		{3, "torture: counter: 3 runs planned, with seeds from 1 on; verdicts: 1 safe, 1 unsafe\n"},
	} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetErr(&out)
		_, err := repeat(cmd, func(_ Command, r Run) (o outcome, err error) {
			switch {
			case r.Seed == c.fails:
				return o, failed
			case r.Seed == 1:
				return outcome{checker.Result{Grade: checker.Safe}, exit.OK}, nil
			}
			return outcome{checker.Result{Grade: checker.Unsafe}, exit.Violated}, nil
		}, Run{Spec: Spec{Repeat: 3}, Workload: "counter", Seed: 1})
		if !errors.Is(err, failed) || out.String() != c.want {
			t.Errorf("run %d fails: %v, %q, want %q", c.fails, err, out.String(), c.want)
		}
	}
}
