package main

import (
	"fmt"
	"strings"

	"locktorture/internal/exit"
	"locktorture/registry/config"
)

// maxFaults bounds what wrongConfig tells.
const maxFaults = 20

// wrongConfig is the user's error that says all that is wrong with a configuration file.
func wrongConfig(err error) error { return wrongFile("", err) }

// wrongFile is the user's error that says what is wrong with a file, after a word about it.
func wrongFile(word string, err error) error {
	lines := config.Wrong(err)
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return exit.Usage("%s%s", word, strings.Join(lines, "\ntorture: "))
}
