package matrix

import (
	"bytes"
	"encoding/json"
	"testing"

	"locktorture/report/scorecard"
)

// FuzzCellsFile: what is read of a file of tries is its whole lines, and is read again from
// what is written of it.
func FuzzCellsFile(f *testing.F) {
	for _, text := range []string{"", "\n", "{}\n", `{"backend":"a","seed":1}` + "\n" + `{"back`, "null\n", "[]\n", "{}\r\n{}\n", "\x00\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tries, whole, err := parseCells[scorecard.Try](bytes.NewReader(text))
		if err != nil {
			return
		}
		if n := bytes.Count(text, []byte("\n")); len(tries) != n || whole != int64(bytes.LastIndexByte(text, '\n')+1) {
			t.Errorf("%d tries in %d lines, %d whole bytes", len(tries), n, whole)
		}
		var again bytes.Buffer
		for _, try := range tries {
			b, err := json.Marshal(try)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(b, '\n'))
		}
		if reread, whole, err := parseCells[scorecard.Try](&again); err != nil || len(reread) != len(tries) || whole == 0 && len(tries) > 0 {
			t.Errorf("written again: %d tries, %v", len(reread), err)
		}
	})
}
