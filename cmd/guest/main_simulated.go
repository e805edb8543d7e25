//go:build simulated

package main

import (
	"context"
	"fmt"
	"os"

	"locktorture/simulate/nursery"
)

// main makes processes: each is this one, which has been initialized, once more.
func main() {
	name, in, out := nursery.Born()
	if err := run(context.Background(), []string{"guest", name}, in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		nursery.Exit(1)
	}
	nursery.Exit(0)
}
