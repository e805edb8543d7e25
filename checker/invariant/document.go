package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Document judges the workload "document": what a section reads twice must not change in
// between, and a writer writes to the first page one more than what it held. The loss counts
// reads that saw a change.
type Document struct{}

var _ checker.Invariant = Document{}

type documents struct {
	pages map[string]*page
	reads int // reads of a page that the section had read before
	lost  int
}

// A page is one key of a document while its operations are replayed.
type page struct {
	version string
	last    *history.Op           // the write that made it
	seen    map[int64]*history.Op // lease → the version that it knows: its first read, or its write after that
}

// Begin implements checker.Invariant.
func (Document) Begin() checker.Replay { return &documents{pages: map[string]*page{}} }

// Apply implements checker.Replay.
func (r *documents) Apply(op *history.Op) []checker.Anomaly {
	if !strings.HasPrefix(workKey(op), "page/") {
		return nil
	}
	if _, err := checker.Number(op.Value); err != nil {
		return []checker.Anomaly{torn(op)}
	}
	p := r.pages[op.Key]
	if p == nil {
		p = &page{version: op.Value, seen: map[int64]*history.Op{}}
		r.pages[op.Key] = p
	}
	if op.F == history.Read {
		return r.read(p, op)
	}
	before, last, read := p.version, p.last, p.seen[op.Lease]
	p.version, p.last = op.Value, op
	if read != nil {
		p.seen[op.Lease] = op // a reader that became the writer expects its own version
	}
	if op.Lease == 0 || workKey(op) != "page/1" {
		return nil
	}
	return lostVersion(before, read, last, op)
}

// read compares what a section reads with what it read before.
func (r *documents) read(p *page, op *history.Op) []checker.Anomaly {
	first := p.seen[op.Lease]
	if first == nil {
		p.seen[op.Lease] = op
		return nil
	}
	r.reads++
	if first.Value == op.Value {
		return nil
	}
	r.lost++
	p.seen[op.Lease] = op
	verb := "read"
	if first.F == history.Write {
		verb = "wrote"
	}
	sentence := fmt.Sprintf("%s %s version %s of %s at %s (apply %d) and read version %s at %s (apply %d), in one section",
		checker.By(op), verb, first.Value, op.Key, checker.At(first.Time), first.Apply, op.Value, checker.At(op.Time), op.Apply)
	if p.last != nil {
		sentence += fmt.Sprintf(": %s wrote this version at %s (apply %d)", checker.By(p.last), checker.At(p.last.Time), p.last.Apply)
	}
	return []checker.Anomaly{{Kind: "torn-read", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(first, p.last, op), Sentence: sentence}}
}

// lostVersion returns the anomaly of a writer that did not write one more than what the page
// held; nil if it did.
func lostVersion(before string, read, last, op *history.Op) []checker.Anomaly {
	was, err := checker.Number(before)
	if now, _ := checker.Number(op.Value); err != nil || now == was+1 {
		return nil
	}
	sentence := fmt.Sprintf("%s wrote version %s of %s at %s (apply %d) over %s", checker.By(op), op.Value, op.Key, checker.At(op.Time), op.Apply, before)
	if last != nil {
		sentence += fmt.Sprintf("; this overwrote the version of %s at %s (apply %d)", checker.By(last), checker.At(last.Time), last.Apply)
	}
	return []checker.Anomaly{{Kind: "lost-update", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(read, last, op), Sentence: sentence}}
}

// Loss implements checker.Replay.
func (r *documents) Loss() checker.Loss {
	return checker.Loss{Lost: r.lost, Of: r.reads, Unit: "second reads"}
}

// Forget implements checker.Forgetful.
func (r *documents) Forget(lease int64) {
	for _, p := range r.pages {
		delete(p.seen, lease)
	}
}
