package main

import (
	"bytes"
	"strings"
	"testing"

	"locktorture/scenarios"
)

// TestServed leaves out the plays whose runtimes are not here, says which, and is the user's
// error if no play is left.
func TestServed(t *testing.T) {
	on := func(backend string) play {
		return play{scenarios.Named{Name: "gc-pause"}, scenarios.Case{Backend: backend}}
	}
	for _, tt := range []struct {
		name  string
		plays []play
		kept  string
		code  int
		said  string // on stderr, or in the error
	}{
		{"all are here", []play{on("redis-set"), on("redlock")}, "redis-set redlock", exitOK, ""},
		{"some are", []play{on("rust-lock"), on("redis-set"), on("erlang-lock"), on("rust-lock")}, "redis-set", exitOK,
			"left out, as their runtimes are not installed: erlang-lock, rust-lock\n"},
		{"none is", []play{on("rust-lock")}, "", exitUsage, "the runtime of rust-lock is not installed; run: make servers"},
	} {
		var out bytes.Buffer
		plays, err := served(tt.plays, &out)
		said := out.String()
		if err != nil {
			said += err.Error()
		}
		var kept []string
		for _, p := range plays {
			kept = append(kept, p.Case.Backend)
		}
		if got := strings.Join(kept, " "); got != tt.kept || codeOf(err) != tt.code || said != tt.said {
			t.Errorf("%s: kept %q, exit code %d, said %q, want %q, %d, %q", tt.name, got, codeOf(err), said, tt.kept, tt.code, tt.said)
		}
	}
}
