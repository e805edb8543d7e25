package story

import (
	"embed"
	"io/fs"
)

//go:embed assets
var assets embed.FS

// Templates are what a page that shows a story parses beside its own: the template "story".
func Templates() fs.FS { return assets }
