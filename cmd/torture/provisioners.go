package main

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/cluster/embedded"
	"locktorture/cluster/process"
)

// provisioners are those that --cluster auto tries, in this order.
func provisioners(images map[string]string) []cluster.Candidate {
	return []cluster.Candidate{
		{Name: "process", Provisioner: process.New()},
		{Name: "docker", Provisioner: docker.New(images)},
		{Name: "embedded", Provisioner: embedded.Provisioner{}},
	}
}

// provisionerFor picks the provisioner that the flags name, or with auto the
// first that can serve the topology, and says why.
func provisionerFor(s serverSpec, topology string) (cluster.Provisioner, string, error) {
	candidates := provisioners(s.Images)
	if s.Cluster != "auto" {
		candidates = slices.DeleteFunc(candidates, func(c cluster.Candidate) bool { return c.Name != s.Cluster })
	}
	if len(candidates) == 0 {
		return nil, "", fmt.Errorf("it starts no servers")
	}
	c, why, err := cluster.Choose(topology, candidates...)
	if err != nil {
		return nil, "", err
	}
	return c.Provisioner, why, nil
}

// servedBy says which candidates would serve a topology here.
func servedBy(candidates []cluster.Candidate, topology string) string {
	if topology == "" {
		return "no servers needed"
	}
	var can []string
	for _, c := range candidates {
		if _, _, err := cluster.Choose(topology, c); err == nil {
			can = append(can, c.Name)
		}
	}
	if len(can) == 0 {
		return "nothing here (make servers)"
	}
	return strings.Join(can, ", ")
}

// among leaves out the candidates whose servers lack what the lock asks for.
func (b backend) among(candidates []cluster.Candidate) []cluster.Candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c cluster.Candidate) bool { return b.Real && c.Name == embedded.Name })
}
