package trial

import (
	"context"
	"fmt"
	"time"

	"locktorture/harness"
)

// unusable returns a failure of the harness with the servers that cannot be used, which probably caused
// it: a fault on the links of a server that has crashed never heals.
func (t *trial) unusable(ctx context.Context, failure error) error {
	if failure == nil || ctx.Err() != nil {
		return failure
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, n := range t.setting.World.Nodes {
		if w, ok := n.(harness.Watched); ok {
			if why := w.Look(ctx); why != nil {
				failure = fmt.Errorf("%s cannot be used: %w (the log of a server is in the run directory, in nodes); so: %w", n.Name(), why, failure)
			}
		}
	}
	return failure
}
