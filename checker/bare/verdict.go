// Package bare judges a history alone, without what a run had declared. The history is one of
// ours or one of Jepsen's. Each lock and each key is judged for linearizability by a
// sequential model.
package bare

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

// An Options says how a bare history is read and judged.
type Options struct {
	linear.Options
	Model     string // the model that judges everything; "" for the one that the operations suggest
	Keys      string // how to find the keys of a history of Jepsen's: auto, split or whole
	FailedCAS bool   // a failed cas without an error claims that the value was another
}

// A Judgement is the verdict on one object of a bare history.
type Judgement struct {
	Object  string         `json:"object"` // name of the lock, or store and key; "" in a history of one object
	Why     string         `json:"why"`    // how the model was chosen
	Verdict linear.Verdict `json:"verdict"`
	Witness []string       `json:"witness,omitempty"` // operations of the proof, with their lines
	ops     []linear.Operation
	names   *jepsen.History // has the names of its processes; nil: they are numbers
	object  *jepsen.Object  // where it came from; nil: a history of ours
}

// A Verdict is the verdict on a bare history file.
type Verdict struct {
	File      string      `json:"file"`
	Format    string      `json:"format"` // "torture", "jepsen"
	Outcome   string      `json:"outcome"`
	Truncated bool        `json:"truncated,omitempty"`
	Unsummed  bool        `json:"unsummed,omitempty"` // a history of torture without a checksum
	Endless   bool        `json:"endless,omitempty"`  // a history of torture without its end entry
	Silent    int         `json:"silent,omitempty"`   // failed operations that say only that nothing was done
	Judged    int         `json:"judged"`             // operations whose outcome gives information
	Objects   []Judgement `json:"objects"`
	Elapsed   int64       `json:"elapsed"` // ns, without the time for reading
	Memory    uint64      `json:"memory"`  // bytes; peak memory obtained from the system
}

// Judge judges a history that others recorded, or one without its run
// directory: each lock and key by a sequential model, and nothing else. It returns an error if
// the file cannot be read.
func Judge(path string, o Options) (*Verdict, error) {
	v, err := readObjects(path, o)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for i := range v.Objects {
		v.Objects[i].judge(o.Options)
		v.Judged += telling(v.Objects[i].ops, o.StrictTries)
	}
	v.Elapsed = int64(time.Since(start))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	v.Memory = memory.Sys
	v.Outcome = v.sum().String()
	return v, nil
}

// judge checks one object.
func (j *Judgement) judge(o linear.Options) {
	j.Verdict = linear.Check(j.ops, j.Verdict.Model, o)
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

// sum makes one outcome of those of all objects. A history in which there was nothing to judge
// is unknown, and so is one of ours without an end, unless it is invalid.
func (v *Verdict) sum() linear.Outcome {
	outcomes := map[linear.Outcome]bool{}
	for i := range v.Objects {
		outcomes[v.Objects[i].Verdict.Outcome] = true
	}
	switch {
	case outcomes[linear.Invalid]:
		return linear.Invalid
	case outcomes[linear.Unknown] || v.Judged == 0 || v.Endless:
		return linear.Unknown
	}
	return linear.Valid
}

// Visualize writes porcupine's page of the first object that is invalid to a file.
func (v *Verdict) Visualize(path string, o Options) error {
	i := slices.IndexFunc(v.Objects, func(j Judgement) bool { return j.Verdict.Outcome == linear.Invalid })
	if i < 0 {
		return errors.New("nothing is invalid, so there is no witness to draw")
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	j := v.Objects[i]
	return linear.Visualize(f, j.ops, j.Verdict.Model, o.Options, j.Verdict.Witness)
}
