//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/moby/moby/client"
)

// Clean removes the containers of dead owners, with their volumes, and returns their descriptions.
// It removes only containers that have our label and whose owner is visible to this process.
// Without an engine it does nothing.
func Clean(ctx context.Context) ([]string, error) {
	e, err := newEngine(ctx)
	if err != nil {
		return nil, nil
	}
	defer e.Close()
	list, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", labelOwner)})
	if err != nil {
		return nil, fmt.Errorf("look for containers: %w", err)
	}
	here, err := world()
	if err != nil {
		return nil, err
	}
	var removed []string
	var errs []error
	for _, c := range list.Items {
		dead, err := abandoned(c.Labels, here)
		if err != nil || !dead {
			errs = append(errs, err)
			continue
		}
		if err := e.remove(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, fmt.Sprintf("container %.12s (%s)", c.ID, c.Labels[labelNode]))
	}
	return removed, errors.Join(errs...)
}
