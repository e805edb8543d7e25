package app_test

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestNoAnswer: an address at which no replica ever answers is an error that names the job, not a verdict.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	f := file(t, "leads always", "")
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	f = written(t, strings.Replace(string(text), "promises: {", `seen: {while: {http: "http://127.0.0.1:1/leader", term: 1s}}, promises: {again_within: 5s, `, 1))
	o, err := torture(t.Context(), t, f)
	if err = errors.Join(err, o.Failure); err == nil || !strings.Contains(err.Error(), "no replica has answered") {
		t.Errorf("%s, %v", o.Result.Grade, err)
	}
}
