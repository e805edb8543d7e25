package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/cluster/docker"
)

// An imageSpec is what the flags say about containers.
type imageSpec struct {
	Images map[string]string // by server; "local": what make images has made
}

// register adds the flag.
func (i *imageSpec) register(f *pflag.FlagSet) {
	f.StringToStringVar(&i.Images, "image", nil,
		"image of a server's containers, SERVER=IMAGE, or SERVER=local for what make images has made; may be repeated\n(environment: TORTURE_IMAGE_<SERVER>); servers: "+strings.Join(docker.Servers(), ", "))
}

// imageEnv is the variable that names the image of a server.
func imageEnv(server string) string { return "TORTURE_IMAGE_" + strings.ToUpper(server) }

// all are the images that were chosen: by the flag, else by the environment.
func (i imageSpec) all() (map[string]string, error) {
	chosen := map[string]string{}
	for _, server := range docker.Servers() {
		if v := os.Getenv(imageEnv(server)); v != "" {
			chosen[server] = v
		}
	}
	for server := range i.Images {
		if _, ok := docker.Defaults()[server]; !ok {
			return nil, usage("--image %s: no such server; there are %s", server, strings.Join(docker.Servers(), ", "))
		}
	}
	maps.Copy(chosen, i.Images)
	return chosen, nil
}

// words are the images that were chosen, as on a command line.
func (i imageSpec) words() []string {
	chosen, err := i.all()
	if err != nil {
		return nil
	}
	var words []string
	for _, server := range slices.Sorted(maps.Keys(chosen)) {
		words = append(words, "--image", server+"="+chosen[server])
	}
	return words
}
