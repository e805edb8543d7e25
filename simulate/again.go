package simulate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"locktorture/internal/plainfile"
	"locktorture/report"
)

// A Difference is the first difference between two plays of the same run.
type Difference struct {
	Entry   int    // number of the history's entry, from 1; 0: the histories are equal, but not all events are
	Was, Is string // the entry in each play, or the checksums of all events; "" after the end of a history
}

// Compare compares the run directories of two plays of a run; nil if all events were the same.
func Compare(was, is string) (*Difference, error) {
	d, err := compareHistories(was, is)
	if d != nil || err != nil {
		return d, err
	}
	a, errA := plainfile.ReadIn(was, SumFile, plainfile.Text)
	b, errB := plainfile.ReadIn(is, SumFile, plainfile.Text)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	if string(a) == string(b) {
		return nil, nil
	}
	return &Difference{Was: strings.TrimSpace(string(a)), Is: strings.TrimSpace(string(b))}, nil
}

// compareHistories returns the first line in which the histories of two runs differ; nil if they
// are equal.
func compareHistories(was, is string) (*Difference, error) {
	a, err := plainfile.OpenIn(was, "history.jsonl")
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := plainfile.OpenIn(is, "history.jsonl")
	if err != nil {
		return nil, err
	}
	defer b.Close()
	linesA, linesB := bufio.NewReader(a), bufio.NewReader(b)
	for n := 1; ; n++ {
		x, errA := linesA.ReadString('\n')
		y, errB := linesB.ReadString('\n')
		if x != y {
			return &Difference{Entry: n, Was: strings.TrimSpace(x), Is: strings.TrimSpace(y)}, nil
		}
		if errA != nil || errB != nil {
			return nil, notEnd(errors.Join(errA, errB))
		}
	}
}

// notEnd returns err unless it is the end of a file.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Changed lists the components whose version differs between two runs, since they may explain a
// Difference.
func Changed(was, is report.Run) (out []string) {
	if was.Version != is.Version {
		out = append(out, fmt.Sprintf("torture was %s and is %s", was.Version, is.Version))
	}
	for _, v := range is.Versions {
		i := slices.IndexFunc(was.Versions, func(o report.Version) bool { return o.Name == v.Name })
		if i >= 0 && was.Versions[i].Version != v.Version {
			out = append(out, fmt.Sprintf("%s was %s and is %s", v.Name, was.Versions[i].Version, v.Version))
		}
	}
	return out
}
