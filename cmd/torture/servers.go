package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/cluster/docker"
	"locktorture/internal/suggest"
	"locktorture/registry"
)

// A serverSpec is what the flags say about where servers come from.
type serverSpec struct{ registry.Servers }

// register adds the flags.
func (s *serverSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.Cluster, "cluster", "auto", "source of the servers: auto, process, docker, embedded")
	f.StringToStringVar(&s.Images, "image", nil,
		"image of a server's containers, `SERVER=IMAGE`, or SERVER=local for what make images has made; may be repeated (environment: TORTURE_IMAGE_<SERVER>); servers: "+strings.Join(docker.Servers(), ", "))
}

// check refuses a cluster or a server that there is not. notTheirs says why servers of the
// user's own do not do here; "" if they do.
func (s serverSpec) check(notTheirs string) error {
	if err := suggest.Among(s.Cluster, registry.Clusters()); err != nil {
		return usage("--cluster: %v", err)
	}
	if s.Cluster == registry.Theirs && notTheirs != "" {
		return usage("--cluster %s: %s", registry.Theirs, notTheirs)
	}
	if s.Cluster == docker.Name && s.wantsEngine() {
		return docker.ErrNotCompiled
	}
	for _, server := range slices.Sorted(maps.Keys(s.Images)) {
		if err := suggest.Among(server, docker.Servers()); err != nil {
			return usage("--image: %v", err)
		}
	}
	return nil
}

// imageWords are the images that were chosen, as on a command line.
func (s serverSpec) imageWords() []string {
	var words []string
	for _, server := range slices.Sorted(maps.Keys(s.Images)) {
		words = append(words, "--image", server+"="+s.Images[server])
	}
	return words
}
