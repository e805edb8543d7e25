//go:build simulated

package driver

import (
	"context"
	"fmt"
	"os"

	"locktorture/simulate/nursery"
)

// Main is the main function of a driver in virtual time.
func Main(openers map[string]Opener) {
	_, in, out := nursery.Born()
	if err := Serve(context.Background(), among(openers), in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		nursery.Exit(1)
	}
	nursery.Exit(0)
}
