package rule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"locktorture/timeline"
)

// Package linear speaks of processes and of nanoseconds. The functions of this file put its
// explanations into the words of the other sentences.

// Explained puts an explanation of package linear into the words of the other sentences;
// clients has the client of each process.
func Explained(explanation string, clients map[int]int) string {
	return inSeconds(named(explanation, clients))
}

// renamed replaces each process in an explanation by what name returns for it; "" leaves the
// process as it is.
func renamed(s string, name func(process int) string) string {
	return regexp.MustCompile(`process -?\d+`).ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(m, "process "))
		if err != nil {
			return m
		}
		if other := name(n); other != "" {
			return other
		}
		return m
	})
}

// named calls the processes of an explanation by their clients, "c2". Two processes of one
// client are told apart: "c2 (process 6)". A process of no known client keeps its number.
func named(s string, clients map[int]int) string {
	processes := map[int]map[int]bool{} // by client
	renamed(s, func(process int) string {
		if c := clients[process]; c > 0 {
			if processes[c] == nil {
				processes[c] = map[int]bool{}
			}
			processes[c][process] = true
		}
		return ""
	})
	return renamed(s, func(process int) string {
		c := clients[process]
		switch {
		case c <= 0:
			return ""
		case len(processes[c]) > 1:
			return fmt.Sprintf("%s (process %d)", timeline.Who(c), process)
		}
		return timeline.Who(c)
	})
}

// clientsOf returns the client of each process that did one of the operations.
func clientsOf(from []Source) map[int]int {
	out := map[int]int{}
	for _, s := range from {
		if s.Inv != nil {
			out[s.Inv.Process] = s.Inv.Client
		}
	}
	return out
}

// inSeconds rewrites the times of an explanation from nanoseconds to seconds, as in all other
// sentences. It writes them to the millisecond, or to the microsecond if two times would look
// alike.
func inSeconds(s string) string {
	// A number of fewer than six digits is a count or a process, and a number after "token" is no time.
	times := regexp.MustCompile(`(token )?\b\d{6,}\b`)
	decimals := 3
	seen := map[string]int64{} // the time by its text
	for _, m := range times.FindAllString(s, -1) {
		if t, err := strconv.ParseInt(m, 10, 64); err == nil {
			if other, ok := seen[timeline.At(t)]; ok && other != t {
				decimals = 6
			}
			seen[timeline.At(t)] = t
		}
	}
	return times.ReplaceAllStringFunc(s, func(m string) string {
		t, err := strconv.ParseInt(m, 10, 64)
		if err != nil { // a token
			return m
		}
		return strconv.FormatFloat(float64(t)/1e9, 'f', decimals, 64) + " s"
	})
}
