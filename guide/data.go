package guide

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"locktorture/ledger"
	"locktorture/matrix"
	"locktorture/registry"
)

// expectedFile has what is expected of each lock under each fault, below the root of the repository.
const expectedFile = "results/expected.yaml"

// Data is what the tables are computed from.
type Data struct {
	root     string
	book     *ledger.Book
	expected matrix.Expectations
	locks    map[string]registry.Backend // what they declare
	programs map[string]program          // that torture app can run
	// histories are what findings came to with the releases of their libraries.
	histories []ledger.History
}

// Read reads the ledger in a directory, and the rest below the root of the repository. locks are
// all that there are.
func Read(root, dir string, locks map[string]registry.Backend) (*Data, error) {
	lines, err := ledger.Read(dir, time.Now())
	if err != nil {
		return nil, err
	}
	tree, err := ledger.OpenSources(root)
	if err != nil {
		return nil, err
	}
	d := &Data{root: root, book: ledger.NewBook(lines, tree.Now(locks)), locks: locks}
	if d.histories, err = histories(dir, tree); err != nil {
		return nil, err
	}
	if d.programs, err = programs(root); err != nil {
		return nil, err
	}
	d.expected, err = matrix.ReadExpectations(filepath.Join(root, expectedFile), nil)
	return d, err
}

// Table computes a table by its name.
func (d *Data) Table(name string) (string, error) {
	tables := map[string]func() (string, error){
		"guide": d.overview, "scheduler": d.scheduler, "traits": d.traits, "costs": d.costs, "prices": d.prices, "cells": d.cells, "recovery": d.recovery,
		"runs": d.runs, "track": d.track, "libraries": d.libraries, "findings": d.findings, "stores": d.stores, "searches": d.searches, "sweep": d.sweep, "versions": d.versions, "releases": d.releases,
		"apps": d.apps, "controls": d.controls,
	}
	if _, ok := scripted()[name]; ok {
		return d.plays(name)
	}
	table, ok := tables[name]
	if !ok {
		return "", fmt.Errorf("there is no table %s", name)
	}
	return table()
}

// Pages returns the pages below the root of the repository that have tables of the ledger.
func Pages(root string) (pages []string, err error) {
	for _, pattern := range []string{"README.md", "docs/*.md", "results/*.md", "findings/*.md", "apps/*.md", "apps/control/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if len(ledger.Tables(string(text))) > 0 {
				pages = append(pages, path)
			}
		}
	}
	return pages, nil
}
