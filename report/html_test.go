package report_test

import (
	"bytes"
	"os"
	"testing"

	"locktorture/report"
)

func TestHTMLDev(t *testing.T) {
	run, res, h := broken().Make()
	var out bytes.Buffer
	if err := report.HTML(&out, run, res, h); err != nil {
		t.Fatal(err)
	}
	if p := os.Getenv("RPT_OUT"); p != "" {
		os.WriteFile(p, out.Bytes(), 0o644)
	}
}
