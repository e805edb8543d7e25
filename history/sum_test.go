package history_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"locktorture/history"
)

// recorded returns a small history as a recorder writes it.
func recorded(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	now := int64(0)
	rec := history.NewRecorder(&file, func() int64 { now += 1000; return now })
	for _, op := range []history.Op{
		{F: history.Acquire, Type: history.Invoke, Client: 1, Lock: "L"},
		{F: history.Acquire, Type: history.OK, Client: 1, Lock: "L", Lease: 1, Token: 33, Value: "p0:é"},
		{Process: history.Nemesis, F: history.Fault, Type: history.Info, Key: "clock", Fault: 1, Node: "n1", Traits: &history.FaultTraits{Effect: history.Skewed, Rate: 2}},
		{Process: history.Harness, F: history.Probe, Type: history.Info, Lock: "L", Node: "n1", Holds: []history.Hold{}},
		{F: history.Ask, Type: history.Invoke, Client: 1, Lock: "L", Lease: 1},
		{F: history.Ask, Type: history.OK, Client: 1, Lock: "L", Lease: 1, UntilMin: 5, UntilMax: 6},
		{F: history.Release, Type: history.Invoke, Client: 1, Lock: "L", Lease: 1},
		{F: history.Release, Type: history.Info, Client: 1, Lock: "L", Lease: 1, Error: "a \"reset\"\n"},
		{Process: history.Harness, F: history.End, Type: history.Info, Value: history.Complete},
	} {
		if _, err := rec.Record(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// ending reads a history, and reports whether it has an end.
func ending(file []byte) (ended, unsummed bool, err error) {
	r, err := history.NewReader(bytes.NewReader(file))
	if err != nil {
		return false, false, err
	}
	for {
		op, err := r.Next()
		if err == io.EOF {
			return ended, r.Unsummed, nil
		}
		if err != nil {
			return ended, false, err
		}
		ended = op.F == history.End
	}
}

// TestChecksum flips each bit of a history. It cannot be read then, or is one without an end,
// which shows nothing to be safe.
func TestChecksum(t *testing.T) {
	file := recorded(t)
	if ended, unsummed, err := ending(file); !ended || unsummed || err != nil {
		t.Fatalf("as it was recorded: end %v, without a checksum %v, %v", ended, unsummed, err)
	}
	changed, endless := 0, 0
	for i := range 8 * len(file) {
		file[i/8] ^= 1 << (i % 8)
		ended, _, err := ending(file)
		switch {
		case errors.Is(err, history.ErrChanged):
			changed++
		case err == nil && !ended:
			endless++
		case err == nil:
			t.Errorf("byte %d, bit %d: nobody notices: %s", i/8, i%8, file)
		}
		file[i/8] ^= 1 << (i % 8)
	}
	if changed == 0 || endless == 0 {
		t.Errorf("of %d flips %d are noticed by the checksum alone, %d cut the end off", 8*len(file), changed, endless)
	}
}

// TestLinesThatAreGone: a history of fewer lines, or of lines in another order, is another.
func TestLinesThatAreGone(t *testing.T) {
	lines := strings.SplitAfter(string(recorded(t)), "\n")
	for name, other := range map[string][]string{
		"an ask is gone": append(append([]string{}, lines[:4]...), lines[6:]...),
		"a look is gone": append(append([]string{}, lines[:3]...), lines[4:]...),
		"one is twice":   append(append([]string{}, lines[:4]...), lines[3:]...),
	} {
		if _, _, err := ending([]byte(strings.Join(other, ""))); !errors.Is(err, history.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithoutChecksum: a history of before there was one is read, and says so.
func TestWithoutChecksum(t *testing.T) {
	file, _, _ := strings.Cut(string(recorded(t)), `,"sum":`)
	if ended, unsummed, err := ending([]byte(file + "}\n")); !ended || !unsummed || err != nil {
		t.Errorf("end %v, without a checksum %v, %v", ended, unsummed, err)
	}
}
