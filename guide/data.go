package guide

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"locktorture/bench"
	"locktorture/registry"
	"locktorture/scenarios/record"
	"locktorture/sweep"
)

// The files that the page is made from, below the root of the repository.
const (
	expectedFile = "results/expected.yaml"
	recordFile   = "results/track-record.md"
	benchFile    = "results/bench/bench.json"
	sweepFile    = "results/sweep/redis-set/sweep.json"
)

// Data is what the page is made from.
type Data struct {
	cells map[string]map[string]cell // of the nightly matrix: backend → nemesis
	plays map[string]record.Row      // of scenarios, by their commands
	bench bench.Report
	sweep sweep.Report
	locks map[string]registry.Backend // what they declare
}

// Read reads the results and the template below the root of the repository.
func Read(root string) (*Data, error) {
	d := &Data{locks: registry.Locks()}
	expected, err := os.ReadFile(filepath.Join(root, expectedFile))
	if err != nil {
		return nil, err
	}
	if d.cells, err = cells(expected); err != nil {
		return nil, fmt.Errorf("%s: %w", expectedFile, err)
	}
	page, err := os.ReadFile(filepath.Join(root, recordFile))
	if err != nil {
		return nil, err
	}
	if d.plays, err = record.Rows(string(page)); err != nil {
		return nil, fmt.Errorf("%s: %w", recordFile, err)
	}
	for _, file := range []struct {
		name string
		into any
	}{{benchFile, &d.bench}, {sweepFile, &d.sweep}} {
		text, err := os.ReadFile(filepath.Join(root, file.name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, file.into); err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return d, nil
}
