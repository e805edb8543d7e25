package trial

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A recording is the history file of a run while it is being written, and
// who watches it.
type recording struct {
	dir  *Dir
	file *limitedFile
	rec  *history.Recorder
	now  func() int64 // the clock of the history: nanoseconds since its start, monotonic

	mu    sync.Mutex            // the watch is fed in the order of the entries
	watch *checker.Watch        // nil: nobody watches
	found func(checker.Anomaly) // told of the first anomaly of each kind
}

// openRecording opens the history file of a run, which keeps its directory from the first
// entry on. A watch, if it is not nil, tells found of what it sees.
func openRecording(dir *Dir, clock func() int64, watch *checker.Watch, found func(checker.Anomaly)) (*recording, error) {
	f, err := dir.Create("history.jsonl")
	if err != nil {
		return nil, err
	}
	if clock == nil {
		start := time.Now()
		clock = func() int64 { return int64(time.Since(start)) }
	}
	r := &recording{dir: dir, file: &limitedFile{File: f}, now: clock, watch: watch, found: found}
	r.rec = history.NewRecorder(r.file, r.now)
	return r, nil
}

// limit calls full, once, when the history has more than so many bytes. It is said before
// anything is recorded.
func (r *recording) limit(bytes int64, full func()) { r.file.left, r.file.full = bytes, full }

func (r *recording) record(op history.Op) (history.Op, error) {
	r.dir.begun.Store(true)
	if r.watch == nil {
		return r.rec.Record(op)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	op, err := r.rec.Record(op)
	if err != nil {
		return op, err
	}
	for _, a := range r.watch.Feed(&op) {
		r.found(a)
	}
	return op, nil
}

func (r *recording) close() error { return errors.Join(r.rec.Close(), r.file.Close()) }

// HistoryOf is the history of a run directory, or a history file.
func HistoryOf(path string) *history.File {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &history.File{Name: filepath.Join(path, "history.jsonl"), InRun: true}
	}
	return &history.File{Name: path}
}
