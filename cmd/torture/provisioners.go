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
func provisioners(images imageSpec) ([]cluster.Candidate, error) {
	chosen, err := images.all()
	if err != nil {
		return nil, err
	}
	return []cluster.Candidate{
		{Name: "process", Provisioner: process.New()},
		{Name: "docker", Provisioner: docker.New(chosen)},
		{Name: "embedded", Provisioner: embedded.Provisioner{}},
	}, nil
}

// provisionerFor picks the provisioner that a flag names, or with auto the
// first that can serve the topology, and says why.
func provisionerFor(name, topology string, images imageSpec) (cluster.Provisioner, string, error) {
	candidates, err := provisioners(images)
	if err != nil {
		return nil, "", err
	}
	if name == externalCluster {
		return nil, "", fmt.Errorf("servers of your own are for torture run: this needs power over them")
	}
	if name != "auto" {
		var named []cluster.Candidate
		for _, c := range candidates {
			if c.Name == name {
				named = append(named, c)
			}
		}
		if len(named) == 0 {
			return nil, "", fmt.Errorf("there are auto, process, docker and embedded")
		}
		candidates = named
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
