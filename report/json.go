package report

import (
	"io"

	"locktorture/checker"
)

// An Object is the one JSON object that a command with --json prints.
type Object struct {
	Run    Run            `json:"run"`
	Result checker.Result `json:"result"`
	Exit   int            `json:"exit"`
	Dir    string         `json:"dir,omitempty"` // the run directory
}

// JSON writes the run and its result as one object on one line. Strings are
// as they were recorded: JSON's own escapes keep them harmless.
func JSON(w io.Writer, run Run, res checker.Result, dir string) error {
	return Encode(w, Object{Run: run, Result: res, Exit: run.Exit, Dir: dir})
}
