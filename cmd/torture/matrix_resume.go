package main

import (
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/registry/config"
)

// resumption is the command line that continues a matrix. What a file or the environment has
// set they set again, and may be secret.
func resumption(cmd *cobra.Command, out string) string {
	words := []string{"torture", "matrix"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := strings.Trim(f.Value.String(), "[]") // of a list, or of images
		if f.Name != "out" && f.Name != "resume" && config.Origin(f) == "" {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return shellquote.Join(append(words, "--out", out, "--resume")...)
}
