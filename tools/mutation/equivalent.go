package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed equivalent.txt
var equivalentText string

// equivalents reads the mutants that no test can kill, by key, each with its reason.
// A key stands at the beginning of a line, the reason is indented below it.
func equivalents(text string) (map[string]string, error) {
	reasons, key := map[string]string{}, ""
	for i, line := range strings.Split(text, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(line, "#"):
		case trimmed == line:
			key = line
			if _, twice := reasons[key]; twice {
				return nil, fmt.Errorf("equivalent.txt, line %d: stands there twice", i+1)
			}
			reasons[key] = ""
		case key == "":
			return nil, fmt.Errorf("equivalent.txt, line %d: a reason without a mutant", i+1)
		default:
			reasons[key] = strings.TrimSpace(reasons[key] + " " + trimmed)
		}
	}
	for key, reason := range reasons {
		if reason == "" {
			return nil, fmt.Errorf("equivalent.txt: no reason for %s", key)
		}
	}
	return reasons, nil
}
