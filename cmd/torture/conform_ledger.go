package main

import (
	"fmt"
	"strings"

	"locktorture/conform"
	"locktorture/internal/exit"
	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/runs"
)

// book begins the line of a store in the ledger, if there is to be one.
func (s conformSpec) book() (*runs.Bookkeeper, error) {
	if s.Ledger != "" && s.Name == "" {
		return nil, exit.Usage("--ledger needs --name: the name of the store in the ledger")
	}
	if s.Ledger != "" && !ledger.IsName(s.Name) { // now: the ledger refuses it when all is measured
		return nil, exit.Usage("--name %q: must consist of lower-case letters, digits and single hyphens between them", s.Name)
	}
	k, err := s.Bookkeeper(commit)
	if err == nil {
		err = k.BeginKind(ledger.Conform, registry.Backend{Name: s.Name}, "")
	}
	return k, err
}

// note adds the line of a verdict.
func (s conformSpec) note(k *runs.Bookkeeper, v conform.Verdict) error {
	return k.Note(registry.Backend{Name: s.Name}, ledger.Line{
		Kind: ledger.Conform, ServerVersion: v.Server, Seed: v.Seed, Grade: v.Grade, Grants: bursts(v), Duration: v.Took / 1e6,
		Flags: s.flags(),
	})
}

// flags returns the settings that decide what a store is asked.
func (s conformSpec) flags() string {
	text := fmt.Sprintf("--clients %d --keys %d --faults %s", s.Clients, s.Keys, strings.Join(s.Faults, ","))
	if s.Deletes {
		text += " --deletes"
	}
	return text
}

// bursts is how many had one winner.
func bursts(v conform.Verdict) (n int) {
	for _, g := range v.Groups {
		n += g.One
	}
	return n
}
