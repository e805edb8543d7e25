package cluster

import (
	"cmp"
	"fmt"
	"strings"
)

// A Candidate is a provisioner that Choose considers.
type Candidate struct {
	Name        string
	Provisioner Provisioner
	Missing     string // the reason if Provisioner is nil
}

// Choose returns the first candidate that can serve a topology, and one sentence with its name and
// the reason for the choice. The error lists the obstacle of every candidate.
func Choose(topology string, candidates ...Candidate) (c Candidate, why string, err error) {
	t, ok := Topologies()[topology]
	if !ok {
		return Candidate{}, "", fmt.Errorf("choose cluster: no topology %q", topology)
	}
	var cannot []string
	for _, c := range candidates {
		reason := c.Missing
		if c.Provisioner != nil {
			err := serves(c.Provisioner, t)
			if err == nil {
				return c, sentence(c.Name, cannot), nil
			}
			reason = strings.TrimPrefix(err.Error(), c.Name+": ")
		}
		cannot = append(cannot, c.Name+": "+reason)
	}
	return Candidate{}, "", fmt.Errorf("nothing here can serve %s; %s", topology, strings.Join(cannot, "; "))
}

// sentence names the chosen candidate, after the obstacles of those before it.
func sentence(name string, cannot []string) string {
	places := map[string]string{"process": "local processes", "embedded": "servers embedded in this process", "docker": "containers"}
	chosen := fmt.Sprintf("%s (auto)", cmp.Or(places[name], name))
	if len(cannot) > 0 {
		chosen += "; " + strings.Join(cannot, "; ")
	}
	return chosen
}
