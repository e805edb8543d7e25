package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed switch.txt
var switchText string

// build compiles the tests of a package once, with all its mutants inside. The
// files of the package stay as they are: the compiler is shown others in their place.
func build(s *source, texts []string, scratch string) (binary string, err error) {
	replace := map[string]string{}
	put := func(name, text string) error {
		at := filepath.Join(scratch, name)
		replace[filepath.Join(s.Dir, name)] = at
		return os.WriteFile(at, []byte(text), 0o644)
	}
	for i, name := range s.GoFiles {
		if err := put(name, texts[i]); err != nil {
			return "", err
		}
	}
	if err := put("mutant_switch.go", strings.ReplaceAll(switchText, "PACKAGE", s.Name)); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		return "", err
	}
	binary = filepath.Join(scratch, "mutants.test")
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, s.ImportPath).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the mutants of %s: %w\n%s", s.ImportPath, err, out)
	}
	return binary, nil
}
