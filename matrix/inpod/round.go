// Package inpod is what a pod of a matrix on Kubernetes does, without anything of Kubernetes: it
// reads which tries there are (round.go), carries out the one of its index (cell.go), and prints
// what that came to (result.go, unpack.go). matrix/kubernetes makes the pods and reads what they
// print.
package inpod

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"locktorture/report/scorecard"
)

// CellsFile is what the file is called from which a pod reads its round.
const CellsFile = "cells.json.gz"

// IndexEnv is the variable with the index of a pod, which Kubernetes sets.
const IndexEnv = "JOB_COMPLETION_INDEX"

// A Round is what the pods of a Job are told: each takes the try of its index.
type Round struct {
	Out   string          `json:"out"` // the directory of the matrix, as the commands in reports name it
	Wire  string          `json:"wire,omitempty"`
	Cells []scorecard.Try `json:"cells"`
}

// Write writes it as ReadRound reads it.
func (r Round) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	return errors.Join(json.NewEncoder(z).Encode(r), z.Close())
}

// ReadRound reads a round.
func ReadRound(r io.Reader) (Round, error) {
	var f Round
	z, err := gzip.NewReader(r)
	if err != nil {
		return f, fmt.Errorf("%s: %w", CellsFile, err)
	}
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", CellsFile, err)
	}
	return f, nil
}
