package gotest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Replay is a run in virtual time. With the same package, the same Config and the same versions
// of Go and of the servers, it has the same history.
type Replay struct {
	Clients  int
	Duration time.Duration
	Seed     uint64
	// Hold is the time that a client works in a section, and Think the time that it rests between
	// two. "" means the default.
	Hold, Think string
	Schedule    string // one fault a line
}

// replayed is the environment variable that makes each Explore of a test play a Replay. Its
// value has the form of Replay.String.
const replayed = "TORTURE_REPLAY"

// String returns the replay in one line.
func (r Replay) String() string {
	first := fmt.Sprintf("clients=%d duration=%v seed=%d", r.Clients, r.Duration, r.Seed)
	if r.Hold != "" {
		first += " hold=" + r.Hold
	}
	if r.Think != "" {
		first += " think=" + r.Think
	}
	parts := []string{first}
	for line := range strings.Lines(r.Schedule) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// On returns a configuration with the settings of the replay.
func (r Replay) On(cfg Config) Config {
	cfg.Clients, cfg.Duration, cfg.Seed, cfg.Hold, cfg.Think, cfg.Schedule = r.Clients, r.Duration, r.Seed, r.Hold, r.Think, r.Schedule
	return cfg
}

// parseReplay parses the text of String.
func parseReplay(text string) (r Replay, err error) {
	first, rest, _ := strings.Cut(text, "; ")
	for _, word := range strings.Fields(first) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "clients":
			r.Clients, err = strconv.Atoi(value)
		case "duration":
			r.Duration, err = time.ParseDuration(value)
		case "seed":
			r.Seed, err = strconv.ParseUint(value, 10, 64)
		case "hold":
			r.Hold = value
		case "think":
			r.Think = value
		default:
			err = fmt.Errorf("%q is none of clients, duration, seed, hold, think", name)
		}
		if err != nil {
			return r, fmt.Errorf("%q: %w", word, err)
		}
	}
	if r.Clients < 1 || r.Duration <= 0 {
		return r, fmt.Errorf("%q does not begin like %q", text, Replay{Clients: 2, Duration: time.Second, Seed: 7})
	}
	r.Schedule = strings.ReplaceAll(rest, "; ", "\n") + "\n" // never "", which means a search
	return r, nil
}

// command returns the shell command that plays the replay in a test.
func (r Replay) command(test string) string {
	names := strings.Split(test, "/")
	for i, n := range names {
		names[i] = "^" + n + "$"
	}
	return fmt.Sprintf("%s='%v' go test -count=1 -run '%s' .", replayed, r, strings.Join(names, "/"))
}
