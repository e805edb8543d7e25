package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A recording is the history file of a run while it is being written.
type recording struct {
	file  *os.File
	rec   *history.Recorder
	start time.Time
}

func openRecording(path string) (*recording, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &recording{file: f, start: time.Now()}
	r.rec = history.NewRecorder(f, r.now)
	return r, nil
}

// now is the clock of the history: nanoseconds since its start, monotonic.
func (r *recording) now() int64 { return int64(time.Since(r.start)) }

func (r *recording) record(op history.Op) (history.Op, error) { return r.rec.Record(op) }

func (r *recording) close() error { return errors.Join(r.rec.Close(), r.file.Close()) }

// readHistory reads the history of a run directory, or a history file.
func readHistory(path string) (history.History, bool, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "history.jsonl")
	}
	return history.ReadFile(path)
}

// invariant finds the invariant of a workload; nil if it has none.
func invariant(workload string) checker.Invariant {
	return workloadsByName()[workload].Invariant
}
