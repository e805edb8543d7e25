package docker

import (
	"os"
	"strings"

	"locktorture/cluster"
)

// The labels of our containers: the process that started one, among which processes it
// is one, and the node.
const (
	labelOwner = "org.locktorture.owner"
	labelWorld = "org.locktorture.processes"
	labelNode  = "org.locktorture.node"
)

// world returns an identifier of the set of processes that this one can see: the boot and the
// process namespace.
func world() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space, err
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
