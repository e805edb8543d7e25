package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
	"locktorture/internal/exit"
)

// A judgement is what torture check says of one object of a bare history.
type judgement struct {
	Object  string         `json:"object"` // name of the lock, or store and key; "" in a history of one object
	Why     string         `json:"why"`    // how the model was chosen
	Verdict linear.Verdict `json:"verdict"`
	Witness []string       `json:"witness,omitempty"` // the operations that prove it, with their lines
	ops     []linear.Operation
	names   *jepsen.History // of its processes; nil: they are numbers
	object  *jepsen.Object  // where it came from; nil: a history of ours
}

// A fileVerdict is what torture check says of a bare history file.
type fileVerdict struct {
	File      string      `json:"file"`
	Format    string      `json:"format"` // "torture", "jepsen"
	Outcome   string      `json:"outcome"`
	Truncated bool        `json:"truncated,omitempty"`
	Endless   bool        `json:"endless,omitempty"` // a history of ours without the entry that ends a run
	Silent    int         `json:"silent,omitempty"`  // failed operations that say only that nothing was done
	Judged    int         `json:"judged"`            // operations whose outcome says something
	Objects   []judgement `json:"objects"`
	Elapsed   int64       `json:"elapsed"` // ns, reading apart
	Memory    uint64      `json:"memory"`  // bytes that this process had from the system at most
}

// checkFile judges a history that others recorded, or one without its run
// directory: each lock and key by a sequential model, and nothing else.
func checkFile(cmd *cobra.Command, s checkSpec, path string) error {
	v, err := readObjects(path, s)
	if err != nil {
		return usage("%s: %v", path, err)
	}
	start := time.Now()
	for i := range v.Objects {
		v.Objects[i].judge(s)
		v.Judged += telling(v.Objects[i].ops, s.Strict)
	}
	v.Elapsed = int64(time.Since(start))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	v.Memory = memory.Sys
	code := v.sum()
	if err := s.visualize(v); err != nil {
		return broken(err)
	}
	if s.JSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(v)
	} else {
		err = v.print(cmd.OutOrStdout())
	}
	if err != nil {
		return broken(err)
	}
	if code != exitOK {
		return exit.Silent(code)
	}
	return nil
}

// judge checks one object.
func (j *judgement) judge(s checkSpec) {
	j.Verdict = linear.Check(j.ops, j.Verdict.Model, s.options())
	for _, w := range j.Verdict.Witness {
		line := fmt.Sprintf("line %d: %s", j.ops[w].Line, j.ops[w])
		if j.object != nil {
			line += j.object.Times[w].String()
		}
		j.Witness = append(j.Witness, line)
	}
	if j.names != nil {
		j.Verdict.Explanation = j.names.Named(j.Verdict.Explanation)
		j.Verdict.Reason = j.names.Named(j.Verdict.Reason)
		for i := range j.Witness {
			j.Witness[i] = j.names.Named(j.Witness[i])
		}
	}
}

// telling counts the operations that a verdict can be about: those that
// happened, and refusals that claim something.
func telling(ops []linear.Operation, strict bool) (n int) {
	for i := range ops {
		if o := &ops[i]; o.Status == linear.OK || o.Status == linear.Refused && (o.F != linear.Acquire || strict) {
			n++
		}
	}
	return n
}

// sum makes one outcome of all and returns the exit code. A history in which
// there was nothing to judge is unknown, and so is one of ours without an end,
// unless it is invalid.
func (v *fileVerdict) sum() int {
	outcomes := map[linear.Outcome]bool{}
	for i := range v.Objects {
		outcomes[v.Objects[i].Verdict.Outcome] = true
	}
	switch {
	case outcomes[linear.Invalid]:
		v.Outcome = linear.Invalid.String()
		return exitViolated
	case outcomes[linear.Unknown] || v.Judged == 0 || v.Endless:
		v.Outcome = linear.Unknown.String()
		return exitUnknown
	}
	v.Outcome = linear.Valid.String()
	return exitOK
}

func (s checkSpec) options() linear.Options {
	return linear.Options{
		Engine: s.Engine, Timeout: s.Timeout, Memory: s.Memory << 20, StrictTries: s.Strict, TTL: s.TTL,
		Capacity: s.Capacity, Stock: s.Stock,
	}
}

// visualize writes porcupine's page of the first object that is invalid.
func (s checkSpec) visualize(v *fileVerdict) error {
	if s.Visualize == "" {
		return nil
	}
	i := slices.IndexFunc(v.Objects, func(j judgement) bool { return j.Verdict.Outcome == linear.Invalid })
	if i < 0 {
		return errors.New("--visualize: nothing is invalid, there is no witness to draw")
	}
	f, err := os.Create(s.Visualize)
	if err != nil {
		return err
	}
	defer f.Close()
	j := v.Objects[i]
	return linear.Visualize(f, j.ops, j.Verdict.Model, s.options(), j.Verdict.Witness)
}

func (v *fileVerdict) print(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s  %s (%s)\n", v.Outcome, v.File, v.Format)
	if v.Truncated {
		fmt.Fprintln(out, "warning   the end is cut off; what was open counts as unknown")
	}
	if v.Judged == 0 {
		fmt.Fprintln(out, "  because there was nothing to judge: no operation has an outcome that says something")
	}
	if v.Endless {
		fmt.Fprintln(out, "warning   the history has no end: the run was killed or cut off, or is not over; so nothing is valid for good")
	}
	if v.Silent > 0 {
		fmt.Fprintf(out, "  left out: %d failed operations, which say only that nothing was done\n", v.Silent)
	}
	for _, j := range v.Objects {
		fmt.Fprintf(out, "%s\n", strings.TrimSpace(fmt.Sprintf("%s  %s  model %s (%s), %d operations, decided by %s in %v",
			cmp.Or(j.Object, "the history"), j.Verdict.Outcome, j.Verdict.Model, j.Why, j.Verdict.Operations,
			cmp.Or(j.Verdict.Algorithm, "nothing"), j.Verdict.Elapsed.Round(time.Microsecond))))
		if j.Verdict.Reason != "" {
			fmt.Fprintf(out, "  because %s\n", j.Verdict.Reason)
		}
		if j.Verdict.Explanation != "" {
			fmt.Fprintf(out, "  %s\n", j.Verdict.Explanation)
		}
		for _, line := range j.Witness {
			fmt.Fprintf(out, "    %s\n", line)
		}
	}
	fmt.Fprintf(out, "checked in %v, %d MB of memory\n", time.Duration(v.Elapsed).Round(time.Microsecond), v.Memory>>20)
	return out.Flush()
}
