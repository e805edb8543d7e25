package inpod

import (
	"io"
	"text/template"

	_ "embed"
)

//go:embed manifest.yaml
var manifest string

// Manifest writes what an administrator applies for a namespace in which matrices may run: it,
// under Pod Security "restricted", and an account that may do what they need there, and no
// more.
func Manifest(out io.Writer, namespace string) error {
	t, err := template.New("").Parse(manifest)
	if err != nil {
		return err
	}
	return t.Execute(out, namespace)
}
