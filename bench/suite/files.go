package suite

import (
	"bytes"
	"fmt"
	"os"

	"locktorture/bench"
	"locktorture/internal/atomicfile"
	"locktorture/report"
)

// Write writes a report to a directory as bench.json, bench.txt and bench.html (charts), which
// is made if it is missing.
func Write(dir string, r bench.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	indented, err := report.Indented(r)
	if err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	var text, html bytes.Buffer
	if err := r.Text(&text); err != nil {
		return err
	}
	if err := page(&html, r); err != nil {
		return err
	}
	for _, file := range []struct{ name, content string }{
		{"bench.json", string(indented)}, {"bench.txt", text.String()}, {"bench.html", html.String()},
	} {
		if err := atomicfile.WriteTextIn(dir, file.name, file.content); err != nil {
			return err
		}
	}
	return nil
}
