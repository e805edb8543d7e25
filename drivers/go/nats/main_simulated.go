//go:build simulated

package main

import (
	"context"
	"fmt"
	"os"

	"locktorture/locks/driver"
	"locktorture/simulate/nursery"
)

// main serves one client of a run in virtual time.
func main() {
	_, in, out := nursery.Born()
	if err := driver.Serve(context.Background(), driver.Among(openers()), in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		nursery.Exit(1)
	}
	nursery.Exit(0)
}
