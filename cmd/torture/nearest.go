package main

import (
	"locktorture/internal/suggest"
	"locktorture/registry"
)

// unknownName says that a flag's value names nothing, and what is nearest.
func unknownName[V any](what, name string, known map[string]V) error {
	return usage("%v", registry.Unknown(what, name, known))
}

// nearest returns the name with the least edit distance, if that is small.
func nearest(name string, names []string) string { return suggest.Nearest(name, names) }

// short is the beginning of a text that a message repeats.
func short(text string, limit int) string { return suggest.Short(text, limit) }

// among is an error that tells the nearest name.
func among(name string, known []string) error { return suggest.Among(name, known) }
