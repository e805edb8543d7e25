package runs

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/cluster/docker"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/registry"
)

// A ServerSpec is what the flags say about where servers come from.
type ServerSpec struct{ registry.Servers }

// Register adds the flags.
func (s *ServerSpec) Register(f *pflag.FlagSet) {
	f.StringVar(&s.Cluster, "cluster", "auto", "source of the servers: auto, process, docker, embedded")
	f.StringToStringVar(&s.Images, "image", nil,
		"container image of a server, `SERVER=IMAGE` (may be repeated); with IMAGE local: the image that \"make images\" built (environment: TORTURE_IMAGE_<SERVER>); servers: "+strings.Join(docker.Servers(), ", "))
}

// Check refuses a cluster or a server that there is not. notTheirs says why servers of the
// user's own do not do here; "" if they do.
func (s ServerSpec) Check(notTheirs string) error {
	if err := suggest.Among(s.Cluster, registry.Clusters()); err != nil {
		return exit.Usage("--cluster: %v", err)
	}
	if s.Cluster == registry.Theirs && notTheirs != "" {
		return exit.Usage("--cluster %s: %s", registry.Theirs, notTheirs)
	}
	if s.Cluster == docker.Name && s.WantsEngine() {
		return docker.ErrNotCompiled
	}
	for _, server := range slices.Sorted(maps.Keys(s.Images)) {
		if err := suggest.Among(server, docker.Servers()); err != nil {
			return exit.Usage("--image: %v", err)
		}
	}
	return nil
}

// ImageWords are the images that were chosen, as on a command line.
func (s ServerSpec) ImageWords() []string {
	var words []string
	for _, server := range slices.Sorted(maps.Keys(s.Images)) {
		words = append(words, "--image", server+"="+s.Images[server])
	}
	return words
}
