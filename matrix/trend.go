package matrix

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"locktorture/internal/plainfile"
	"locktorture/report/scorecard"
)

// smoke returns the cells that every matrix with a trend runs first: controls, and locks of Redis,
// etcd, ZooKeeper and MySQL, some of which break their promise.
func smoke() [][3]string {
	return [][3]string{
		{"none", "none", "counter"}, {"local", "kill-client", "counter"}, {"process-local", "none", "seckill"},
		{"redis-set", "none", "counter"}, {"redis-set", "pause", "counter"}, {"redis-setnx", "kill-client", "counter"},
		{"redis-fenced", "pause", "counter"}, {"redlock", "clock", "seckill"}, {"etcd-concurrency", "pause", "counter"},
		{"zookeeper", "kill-client", "counter"}, {"mysql-get-lock", "kill-client", "counter"},
	}
}

// readTrend reads the trend file; one that is not there is empty. A last line
// that was cut off is left out.
func readTrend(path string) ([]scorecard.Point, error) {
	f, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []scorecard.Point
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var bad error
	for n := 1; lines.Scan(); n++ {
		if bad != nil {
			return nil, bad
		}
		var p scorecard.Point
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			bad = fmt.Errorf("%s:%d: %w", path, n, err)
			if !bytes.HasPrefix(lines.Bytes(), []byte("{")) { // it never was a line of a trend
				return nil, bad
			}
			continue
		}
		out = append(out, p)
	}
	return out, lines.Err()
}

// addTrend appends what a try came to.
func addTrend(path string, p scorecard.Point) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if err = mend(f); err == nil {
		err = appendPoint(f, p)
	}
	return errors.Join(err, f.Close())
}

// mend ends a last line that has no end, or removes it if it was cut off, as readTrend leaves it
// out: a line after half a line could not be read.
func mend(f *os.File) error {
	b, err := io.ReadAll(f)
	whole := bytes.LastIndexByte(b, '\n') + 1
	switch {
	case err != nil || whole == len(b):
		return err
	case json.Unmarshal(b[whole:], new(scorecard.Point)) == nil:
		_, err = f.WriteString("\n")
		return err
	}
	return f.Truncate(int64(whole))
}

// appendPoint appends a whole line or nothing: half a line with others after it could not be
// read.
func appendPoint(f *os.File, p scorecard.Point) error {
	before, err := f.Stat()
	if err != nil {
		return err
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(b, '\n')); err != nil {
		return errors.Join(err, f.Truncate(before.Size()))
	}
	return nil
}

// byWaiting puts the smoke set first and then the cells whose last verdict is
// oldest; those that never had one come before all others. Within one cell the
// order of seeds stays.
func byWaiting(plan []scorecard.Try, past []scorecard.Point) {
	last := map[[3]string]time.Time{} // when a cell last had a verdict, or was found impossible
	for _, p := range past {
		key := [3]string{p.Backend, p.Nemesis, p.Workload}
		if p.Time.After(last[key]) {
			last[key] = p.Time
		}
	}
	rank := map[[3]string]int{}
	for i, key := range smoke() {
		rank[key] = i - len(smoke())
	}
	slices.SortStableFunc(plan, func(a, b scorecard.Try) int {
		ka, kb := [3]string{a.Backend, a.Nemesis, a.Workload}, [3]string{b.Backend, b.Nemesis, b.Workload}
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(rank[ka], rank[kb]), last[ka].Compare(last[kb]))
	})
}
