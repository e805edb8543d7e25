package diagram

import (
	"embed"
	"io/fs"
)

//go:embed assets
var assets embed.FS

// Templates returns what a page that shows diagrams parses beside its own: the template
// "diagrams".
func Templates() fs.FS { return assets }
