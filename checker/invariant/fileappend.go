package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// FileAppend judges the workload "file-append": whenever the end of
// the file moves, the blocks that it passes are one whole record, and no block
// before the end is written again. Blocks beyond the end were left by a section that was cut
// off. The loss is counted in records.
type FileAppend struct{}

var _ checker.Invariant = FileAppend{}

// A sharedFile is the file of one lock while it is replayed.
type sharedFile struct {
	end    int
	moved  *history.Op // last write of the end
	blocks map[int]*history.Op
}

// A fileReplay holds the files by their locks.
type fileReplay struct {
	files    map[string]*sharedFile
	appended int
}

// Begin implements checker.Invariant.
func (FileAppend) Begin() checker.Replay { return &fileReplay{files: map[string]*sharedFile{}} }

// Apply implements checker.Replay.
func (r *fileReplay) Apply(op *history.Op) []checker.Anomaly {
	part, n, _ := strings.Cut(workKey(op), "/")
	if op.F == history.Read || part != "end" && part != "block" {
		return nil
	}
	f := r.files[op.Lock]
	if f == nil {
		f = &sharedFile{blocks: make(map[int]*history.Op)}
		r.files[op.Lock] = f
	}
	if part == "end" && op.Lease != 0 {
		r.appended++
	}
	if a, bad := f.apply(op, part, n); bad {
		return []checker.Anomaly{a}
	}
	return nil
}

// Loss implements checker.Replay.
func (r *fileReplay) Loss() checker.Loss {
	whole := 0
	for _, f := range r.files {
		whole += f.records()
	}
	return checker.Loss{Lost: max(0, r.appended-whole), Of: r.appended, Unit: "records"}
}

// records counts the whole records before the end.
func (f *sharedFile) records() (n int) {
	for from, b := range f.blocks {
		if from >= f.end || !strings.Contains(b.Value, " 1/") {
			continue
		}
		_, parts, _ := strings.Cut(b.Value, "/")
		if end, err := checker.Number(parts); err == nil && f.whole(from, from+end) && from+end <= f.end {
			n++
		}
	}
	return n
}

// whole reports whether the blocks from up to end are one record, written under one lease.
func (f *sharedFile) whole(from, end int) bool {
	first := f.blocks[from]
	if first == nil {
		return false
	}
	name, _, _ := strings.Cut(first.Value, " ")
	for i := from; i < end; i++ {
		b := f.blocks[i]
		if b == nil || b.Lease != first.Lease {
			return false
		}
		if b.Value != fmt.Sprintf("%s %d/%d", name, i-from+1, end-from) {
			return false
		}
	}
	return true
}

func (f *sharedFile) apply(op *history.Op, part, n string) (checker.Anomaly, bool) {
	if part == "block" {
		i, err := checker.Number(n)
		if err != nil {
			return torn(op), true
		}
		old := f.blocks[i]
		f.blocks[i] = op
		if i >= f.end || old == nil {
			return checker.Anomaly{}, false
		}
		return f.damage("torn-write", op, old, fmt.Sprintf("wrote %q into block %d, which already held %q of %s, although the file's end was %d", op.Value, i, old.Value, checker.By(old), f.end)), true
	}
	end, err := checker.Number(op.Value)
	if err != nil {
		return torn(op), true
	}
	from, before := f.end, f.moved
	f.end, f.moved = end, op
	switch {
	case op.Lease == 0:
		return checker.Anomaly{}, false
	case end <= from:
		return f.damage("lost-record", op, before, fmt.Sprintf("moved the file's end from %d back to %d (so later records overwrite earlier ones)", from, end)), true
	}
	return f.record(op, from, end)
}

// mostBlocks is how many blocks of a damaged record a sentence shows.
const mostBlocks = 16

// record checks that the blocks from up to end are one whole record.
func (f *sharedFile) record(op *history.Op, from, end int) (checker.Anomaly, bool) {
	if f.whole(from, end) {
		return checker.Anomaly{}, false
	}
	var reads []string
	other := f.blocks[from]
	for i := from; i < end; i++ {
		if len(reads) == mostBlocks {
			reads = append(reads, fmt.Sprintf("and %d more", end-i))
			break
		}
		b := f.blocks[i]
		if b == nil {
			reads = append(reads, "nothing")
			continue
		}
		reads = append(reads, fmt.Sprintf("%q", b.Value))
		if b.Lease != op.Lease {
			other = b
		}
	}
	return f.damage("torn-write", op, other, fmt.Sprintf("appended a record that reads %s", strings.Join(reads, ", "))), true
}

func (f *sharedFile) damage(kind string, op, other *history.Op, what string) checker.Anomaly {
	return checker.Anomaly{
		Kind: kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(other, op),
		Sentence: fmt.Sprintf("at %[3]s (apply %[4]d), %[1]s %[2]s", checker.By(op), what, checker.At(op.Time), op.Apply),
	}
}
