//go:build wasip1 || simulated

package gotest

import (
	"context"
	"errors"
	"testing"

	"locktorture/checker"
)

// errInside is the error of functions that are never called in the process of a client, if TestMain
// calls Main.
var errInside = errors.New("gotest: this is the process of a client; call Main in TestMain")

// Run fails, because this is the process of a client.
func Run(context.Context, Config) (checker.Result, error) { return checker.Result{}, errInside }

// Check fails, because this is the process of a client.
func Check(t *testing.T, _ Config) checker.Result {
	t.Fatal(errInside)
	return checker.Result{}
}

// Search fails, because this is the process of a client.
func Search(context.Context, Config) (Exploration, error) { return Exploration{}, errInside }

// Explore fails, because this is the process of a client.
func Explore(t *testing.T, _ Config) Exploration {
	t.Fatal(errInside)
	return Exploration{}
}
