package app

import _ "embed"

// Sample is an app.yaml to start from.
//
//go:embed sample.yaml
var Sample string
