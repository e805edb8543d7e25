package cluster

import (
	"cmp"
	"fmt"
	"strings"
)

// A Candidate is a provisioner that Choose may take.
type Candidate struct {
	Name        string
	Provisioner Provisioner
	Missing     string // why there is none, if Provisioner is nil
}

// Choose takes the first candidate that can serve a topology and says, in one
// sentence, which and why. The error says what is missing for each.
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

// sentence says that a candidate was chosen after others could not serve.
func sentence(name string, cannot []string) string {
	places := map[string]string{"process": "local processes", "embedded": "servers embedded in this process", "docker": "containers"}
	chosen := fmt.Sprintf("%s (auto)", cmp.Or(places[name], name))
	if len(cannot) > 0 {
		chosen += "; " + strings.Join(cannot, "; ")
	}
	return chosen
}
