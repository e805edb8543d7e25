package scorecard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"locktorture/report/scorecard"
)

// FuzzCells: whatever stands in a line of cells.jsonl, the tables that are made of it are
// whole.
func FuzzCells(f *testing.F) {
	for _, line := range []string{
		`{"backend":"redlock","nemesis":"pause","workload":"counter","seed":1,"state":"graded","grade":"unsafe","anomalies":{"double-grant":3}}`,
		`{"backend":"<script>","grade":"safe","took":-1,"exit":-9223372036854775808}`, `{}`, `{"anomalies":{"":-1}}`, `null`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var try scorecard.Try
		if json.Unmarshal(line, &try) != nil {
			return
		}
		rows := scorecard.Rows([]scorecard.Try{try, try})
		var text, markdown, page bytes.Buffer
		if err := errors.Join(scorecard.Text(&text, rows, 0), scorecard.Markdown(&markdown, rows), scorecard.Write(&page, scorecard.Card{Rows: rows})); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page.String(), "<script") || strings.ContainsAny(text.String(), "\x1b\u202e") || strings.ContainsAny(markdown.String(), "\x1b\u202e") {
			t.Errorf("what a try says is not shown as it is:\n%s\n%s", &text, &markdown)
		}
	})
}
