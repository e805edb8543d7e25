package trial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/checker/linear"
	"locktorture/history"
)

// A recording is the history file of a run while it is being written, and
// the monitor that watches it.
type recording struct {
	dir   *Dir
	file  *limitedFile
	rec   *history.Recorder
	start time.Time

	mu      sync.Mutex // the monitor is fed in the order of the entries
	monitor *linear.Monitor
	found   atomic.Pointer[linear.Violation] // the first violation
	alarm   func()                           // called once, when it is found
}

// openRecording opens the history file of a run, which keeps its directory from the first
// entry on. A model that a monitor knows is watched while it is written; alarm may be nil.
func openRecording(dir *Dir, model string, alarm func()) (*recording, error) {
	f, err := os.Create(dir.File("history.jsonl"))
	if err != nil {
		return nil, err
	}
	r := &recording{dir: dir, file: &limitedFile{File: f}, start: time.Now(), alarm: alarm}
	if m, err := linear.NewMonitor(model); err == nil { // else there is none for that model
		r.monitor = m
	}
	r.rec = history.NewRecorder(r.file, r.now)
	return r, nil
}

// limit calls full, once, when the history has more than so many bytes. It is said before
// anything is recorded.
func (r *recording) limit(bytes int64, full func()) { r.file.left, r.file.full = bytes, full }

// now is the clock of the history: nanoseconds since its start, monotonic.
func (r *recording) now() int64 { return int64(time.Since(r.start)) }

func (r *recording) record(op history.Op) (history.Op, error) {
	r.dir.begun.Store(true)
	if r.monitor == nil || r.found.Load() != nil {
		return r.rec.Record(op)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	op, err := r.rec.Record(op)
	if err != nil || r.found.Load() != nil {
		return op, err
	}
	if v := r.monitor.Feed(&op); v != nil {
		r.found.Store(v)
		if r.alarm != nil {
			r.alarm()
		}
	}
	return op, nil
}

// violation says what the monitor has found; "" is nothing so far.
func (r *recording) violation() string {
	if v := r.found.Load(); v != nil {
		return fmt.Sprintf("%s at %.3f s: %s", v.Lock, float64(v.Time)/1e9, v.Explanation)
	}
	return ""
}

func (r *recording) close() error { return errors.Join(r.rec.Close(), r.file.Close()) }

// HistoryOf is the history of a run directory, or a history file.
func HistoryOf(path string) *history.File {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "history.jsonl")
	}
	return &history.File{Name: path}
}
