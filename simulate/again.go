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

// A Difference is where a run that was played again was no longer the same.
type Difference struct {
	Entry   int    // of the history, from 1; 0: the histories are the same, what was behind them is not
	Was, Is string // the entry, or the sums of all events; "" where a history had ended
}

// Compare compares the run directories of two plays of a run; nil if every event was the same.
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

// compareHistories finds the first line in which the histories of two runs differ; nil if they are the same.
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

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Changed names what took part in a run in another version than in an earlier one, and may be
// why it is not the same.
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
