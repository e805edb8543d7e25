package report_test

import (
	"strings"
	"testing"

	"locktorture/report"
)

// TestSchema: it stands first, in whatever is an object, and a later one is refused.
func TestSchema(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{struct {
			A int `json:"a"`
		}{7}, `{"schema":1,"a":7}`},
		{struct{}{}, `{"schema":1}`},
		{[]int{1}, ""},
	} {
		b, err := report.Stamp(tt.v)
		if string(b) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%v: %s, %v", tt.v, b, err)
		}
	}
	for text, refused := range map[string]bool{`{}`: false, `{"schema":1}`: false, `{"schema":2}`: true, `[`: true} {
		if err := report.Readable([]byte(text)); (err != nil) != refused {
			t.Errorf("%s: %v", text, err)
		} else if text == `{"schema":2}` && !strings.Contains(err.Error(), "later version of torture") {
			t.Error(err)
		}
	}
}
