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

// A recording is the history file of a run while it is being written, and the watch on it.
type recording struct {
	dir  *Dir
	file *limitedFile
	rec  *history.Recorder
	now  func() int64 // the clock of the history: nanoseconds since its start, monotonic

	mu    sync.Mutex            // keeps the entries in order for the watch
	watch *checker.Watch        // nil if the run is not watched
	found func(checker.Anomaly) // called with the first anomaly of each kind
}

// openRecording opens the history file of a run. From the first entry on, the run's directory
// is kept. watch may be nil; otherwise it passes anomalies to found.
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

// limit sets the function that is called, once, when the history exceeds the limit. It must be
// called before the first entry is recorded.
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

// HistoryOf returns the history of a run directory, or a history file.
func HistoryOf(path string) *history.File {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &history.File{Name: filepath.Join(path, "history.jsonl"), InRun: true}
	}
	return &history.File{Name: path}
}
