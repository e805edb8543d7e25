package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
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
	"locktorture/history"
)

// A judgement is what torture check says of one object of a bare history.
type judgement struct {
	Object  string         `json:"object"` // name of the lock, or store and key; "" in a history of one object
	Why     string         `json:"why"`    // how the model was chosen
	Verdict linear.Verdict `json:"verdict"`
	Witness []string       `json:"witness,omitempty"` // the operations that prove it, with their lines
	ops     []linear.Operation
}

// A fileVerdict is what torture check says of a bare history file.
type fileVerdict struct {
	File      string      `json:"file"`
	Format    string      `json:"format"` // "torture", "jepsen"
	Outcome   string      `json:"outcome"`
	Truncated bool        `json:"truncated,omitempty"`
	Objects   []judgement `json:"objects"`
	Elapsed   int64       `json:"elapsed"` // ns, reading apart
	Memory    uint64      `json:"memory"`  // bytes that this process had from the system at most
}

// checkFile judges a history that others recorded, or one without its run
// directory: each lock and key by a sequential model, and nothing else.
func checkFile(cmd *cobra.Command, s checkSpec, path string) error {
	v, err := readObjects(path, s.Model)
	if err != nil {
		return usage("%s: %v", path, err)
	}
	start := time.Now()
	outcomes := map[string]bool{}
	for i := range v.Objects {
		j := &v.Objects[i]
		j.Verdict = linear.Check(j.ops, j.Verdict.Model, s.options())
		for _, w := range j.Verdict.Witness {
			j.Witness = append(j.Witness, fmt.Sprintf("line %d: %s", j.ops[w].Line, j.ops[w]))
		}
		outcomes[j.Verdict.Outcome.String()] = true
	}
	v.Elapsed = int64(time.Since(start))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	v.Memory = memory.Sys
	code := exitOK
	switch v.Outcome = linear.Valid.String(); {
	case outcomes[linear.Invalid.String()]:
		v.Outcome, code = linear.Invalid.String(), exitViolated
	case outcomes[linear.Unknown.String()] || len(v.Objects) == 0:
		v.Outcome, code = linear.Unknown.String(), exitUnknown
	}
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
		return &exitError{code: code}
	}
	return nil
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
		fmt.Fprintln(out, "warning   the last line is cut off; what was open counts as unknown")
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

// readObjects reads a history of either format, plain or compressed.
func readObjects(path, model string) (*fileVerdict, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src := bufio.NewReaderSize(f, 1<<16)
	v := &fileVerdict{File: path, Format: "torture"}
	if !ours(src) {
		v.Format = "jepsen"
		return v, v.readJepsen(src, model)
	}
	return v, v.readOurs(src, model)
}

// ours reports whether a history is in our own form: its entries have fields
// that Jepsen's have not.
func ours(src *bufio.Reader) bool {
	head, _ := src.Peek(1 << 12) // a short file is peeked at whole
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return false
		}
		plain := make([]byte, 1<<12)
		n, _ := io.ReadFull(z, plain) // cut off by the peek, which is enough
		head = plain[:n]
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, field := range []string{`"lock":`, `"client":`, `"store":`, `"lease":`, `"fault":`} {
		if bytes.Contains(line, []byte(field)) {
			return true
		}
	}
	return false
}

func (v *fileVerdict) readOurs(src io.Reader, model string) error {
	r, err := history.NewReader(src)
	if err != nil {
		return err
	}
	b := linear.NewBuilder()
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := b.Add(&op); err != nil {
			return err
		}
	}
	v.Truncated = r.Truncated
	objects := b.Objects()
	for name, ops := range objects.Locks {
		m, why := chooseModel(ops, model)
		v.Objects = append(v.Objects, judgement{Object: "lock " + name, Why: why, Verdict: linear.Verdict{Model: m}, ops: ops})
	}
	for key, ops := range objects.Keys {
		v.Objects = append(v.Objects, judgement{
			Object: key.Store + " " + key.Key, Why: "a key of the store", Verdict: linear.Verdict{Model: "register"}, ops: ops,
		})
	}
	slices.SortFunc(v.Objects, func(a, b judgement) int { return cmp.Compare(a.Object, b.Object) })
	return nil
}

func (v *fileVerdict) readJepsen(src io.Reader, model string) error {
	h, err := jepsen.Read(src)
	if err != nil {
		return err
	}
	v.Truncated = h.Truncated
	m, why := chooseModel(h.Operations, model)
	v.Objects = []judgement{{Why: why, Verdict: linear.Verdict{Model: m}, ops: h.Operations}}
	return nil
}

// chooseModel takes the model that was named, else the one that the
// operations suggest, and says why.
func chooseModel(ops []linear.Operation, named string) (model, why string) {
	if named != "" {
		return named, "named by --model"
	}
	var locks, tokens, stores bool
	for i := range ops {
		switch ops[i].F {
		case linear.Acquire, linear.Release, linear.Renew:
			locks = true
		case linear.Read, linear.Write, linear.CAS:
			stores = true
		}
		tokens = tokens || ops[i].Token != 0
	}
	switch {
	case locks && tokens:
		return "fenced", "the leases have tokens; --model names another"
	case stores && !locks:
		return "register", "there are reads and writes only; --model names another"
	}
	return "mutex", "there are no tokens, and expiry is not assumed; --model names another"
}
