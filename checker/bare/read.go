package bare

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
	"locktorture/history"
	"locktorture/internal/plainfile"
)

// readObjects reads a history of either format, plain or compressed.
func readObjects(path string, o Options) (*Verdict, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src := bufio.NewReaderSize(f, 1<<16)
	v := &Verdict{File: path, Format: "torture"}
	if !ours(src) {
		v.Format = "jepsen"
		return v, v.readJepsen(src, o)
	}
	return v, v.readOurs(src, o.Model)
}

// ours reports whether a history is in our own form: some of its first entries have fields
// that Jepsen's entries do not have.
func ours(src *bufio.Reader) bool {
	head, _ := src.Peek(1 << 14) // a short file is peeked at whole
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return false
		}
		plain := make([]byte, 1<<14)
		n, _ := io.ReadFull(z, plain) // cut off by the peek, which is enough
		head = plain[:n]
	}
	for line := range bytes.Lines(head) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(line, &fields) != nil {
			continue
		}
		for _, own := range []string{"lock", "client", "store", "lease", "fault"} {
			if _, ok := fields[own]; ok {
				return true
			}
		}
	}
	return false
}

func (v *Verdict) readOurs(src io.Reader, model string) error {
	r, err := history.NewReader(src)
	if err != nil {
		return err
	}
	b := linear.NewBuilder()
	ended := false
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if what := beyond(&op); what != "" {
			return fmt.Errorf("this history has %s, which cannot be judged without what the run declared: check the run's directory instead of its history file", what)
		}
		if err := b.Add(&op); err != nil {
			return err
		}
		ended = ended || op.F == history.End
	}
	v.Truncated, v.Unsummed, v.Endless = r.Truncated, r.Unsummed, !ended
	objects := b.Objects()
	for name, ops := range objects.Locks {
		m, why := chooseModel(ops, model)
		v.Objects = append(v.Objects, Judgement{Object: "lock " + name, Why: why, Verdict: linear.Verdict{Model: m}, ops: ops})
	}
	for key, ops := range objects.Keys {
		v.Objects = append(v.Objects, Judgement{
			Object: key.Store + " " + key.Key, Why: "a key of the store", Verdict: linear.Verdict{Model: "register"}, ops: ops,
		})
	}
	for i := range v.Objects {
		for k := range v.Objects[i].ops {
			v.Objects[i].ops[k].Line++ // entries are counted from 0, lines from 1
		}
	}
	slices.SortFunc(v.Objects, func(a, b Judgement) int { return cmp.Compare(a.Object, b.Object) })
	return nil
}

// beyond returns what an entry has that the models of locks and stores alone do not judge; "" if
// they judge it.
func beyond(op *history.Op) string {
	switch op.F {
	case history.Job:
		return "the jobs of a program"
	case history.SetCount, history.CountDown, history.Await:
		return "a latch"
	case history.Observe:
		return "an election"
	case history.Upgrade, history.Downgrade:
		return "a lease that is upgraded or downgraded"
	}
	return map[string]string{history.Permits: "permits of a semaphore", history.Party: "a barrier", history.Campaign: "an election"}[op.Mode]
}

func (v *Verdict) readJepsen(src io.Reader, o Options) error {
	keys, err := jepsen.ParseKeys(o.Keys)
	if err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	h, err := jepsen.Read(src, jepsen.Options{FailedCAS: o.FailedCAS, Keys: keys})
	if err != nil {
		return err
	}
	v.Truncated, v.Silent = h.Truncated, h.Silent
	for i := range h.Objects {
		object := &h.Objects[i]
		m, why := chooseModel(object.Operations, o.Model)
		ops, err := operationsFor(m, object)
		if err != nil {
			return err
		}
		name := ""
		if object.Key != "" {
			name = "key " + object.Key
		}
		v.Objects = append(v.Objects, Judgement{
			Object: name, Why: why, Verdict: linear.Verdict{Model: m}, ops: ops, names: h, object: object,
		})
	}
	return nil
}

// operationsFor returns the operations as a model needs them. It returns an error for a
// history that cannot be one of the object that the model describes.
func operationsFor(model string, o *jepsen.Object) ([]linear.Operation, error) {
	switch model {
	case "counter", "faa", "inventory":
		if len(o.NoNumber) > 0 {
			bad := o.Operations[o.NoNumber[0]]
			return nil, fmt.Errorf("model %s: a sum is an integer, but the read of line %d found %q", model, bad.Line, bad.Value)
		}
	case "timed-lease", "timed-rwlock", "timed-semaphore":
		ops, err := o.ByTime()
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", model, err)
		}
		return ops, nil
	}
	return o.Operations, nil
}
