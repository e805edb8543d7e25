package docker

import (
	"os"
	"strings"

	"locktorture/cluster"
)

// The labels of our containers: the process that started one, the set of processes to which it
// belongs (see world), and the node.
const (
	labelOwner = "org.locktorture.owner"
	labelWorld = "org.locktorture.processes"
	labelNode  = "org.locktorture.node"
)

// world returns an identifier of the set of processes that this process can see: the boot and the
// process namespace.
func world() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space, err
}

// abandoned reports whether the owner of a container is dead. The owner of an earlier boot is dead;
// an owner in another namespace may be alive.
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
