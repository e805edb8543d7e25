//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/moby/moby/client"
)

// Clean removes the containers, networks and volumes of dead owners, and returns their
// descriptions. It keeps everything without our label, and everything whose owner may still
// live in a process namespace that this process cannot see. Without an engine it does nothing.
func Clean(ctx context.Context) ([]string, error) {
	e, err := newEngine(ctx)
	if err != nil {
		return nil, nil
	}
	defer e.Close()
	ours := make(client.Filters).Add("label", labelOwner)
	list, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return nil, fmt.Errorf("look for containers: %w", err)
	}
	networks, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: ours})
	if err != nil {
		return nil, fmt.Errorf("look for networks: %w", err)
	}
	volumes, err := e.VolumeList(ctx, client.VolumeListOptions{Filters: ours})
	if err != nil {
		return nil, fmt.Errorf("look for volumes: %w", err)
	}
	here, err := world()
	if err != nil {
		return nil, err
	}
	var removed []string
	var errs []error
	clean := func(what string, labels map[string]string, remove func() error) {
		dead, err := abandoned(labels, here)
		if err == nil && dead {
			err = remove()
		}
		if err == nil && dead {
			removed = append(removed, what)
		}
		errs = append(errs, err)
	}
	for _, c := range list.Items {
		clean(fmt.Sprintf("container %.12s (%s)", c.ID, c.Labels[labelNode]), c.Labels, func() error { return e.remove(ctx, c.ID) })
	}
	for _, n := range networks.Items {
		clean("network "+n.Name, n.Labels, func() error {
			_, err := e.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			return err
		})
	}
	for _, v := range volumes.Items {
		clean("volume "+v.Name, v.Labels, func() error {
			_, err := e.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{Force: true})
			return err
		})
	}
	return removed, errors.Join(errs...)
}
