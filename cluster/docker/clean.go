package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/moby/moby/client"

	"locktorture/cluster"
)

// The labels of our containers: the process that started one, among which processes it
// is one, and the node.
const (
	labelOwner = "org.locktorture.owner"
	labelWorld = "org.locktorture.processes"
	labelNode  = "org.locktorture.node"
)

// ourLabels are the labels of a new container.
func ourLabels(node string) (map[string]string, error) {
	owner, err := cluster.Owner()
	if err != nil {
		return nil, err
	}
	w, err := world()
	return map[string]string{labelOwner: owner, labelWorld: w, labelNode: node}, err
}

// world names the processes that this one can see: those since the last boot, of its
// own namespace.
func world() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space, err
}

// Clean removes the containers whose owner is dead, with their volumes, and returns what they
// were. It touches nothing without our label, and nothing of an owner that it cannot see.
// Where no engine answers there is nothing to do.
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

// abandoned reports whether the owner of a container is dead. One of an earlier boot is; one
// in another namespace may live.
func abandoned(labels map[string]string, here string) (bool, error) {
	boot, _, _ := strings.Cut(here, " ")
	if !strings.HasPrefix(labels[labelWorld], boot+" ") {
		return labels[labelWorld] != "", nil
	}
	if labels[labelWorld] != here {
		return false, nil
	}
	return cluster.OwnerDead(labels[labelOwner])
}
