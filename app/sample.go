package app

import _ "embed"

// Sample is an app.yaml to begin with.
//
//go:embed sample.yaml
var Sample string
