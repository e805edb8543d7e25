package trial_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"locktorture/trial"
)

// A password is taken out of whatever repeats it, however it is escaped there.
func TestPasswordsAreFoundInEverySpelling(t *testing.T) {
	for _, password := range []string{`hush`, `hu"sh`, `hu'sh`, `hu\sh`, `"hush"`, `'hush'`, `hu<s>&h`, `hu sh/+%`, "hü\tsh\u2028", `h"u's\h%22`, "a\nb"} {
		a := trial.Secrets{User: "tester", Password: password}
		asJSON, err := json.Marshal(password)
		if err != nil {
			t.Fatal(err)
		}
		for how, text := range map[string]string{
			"as it is": password, "quoted by Go": strconv.Quote(password), "in ASCII": strconv.QuoteToASCII(password), "in JSON": string(asJSON),
			"in SQL": "'" + strings.ReplaceAll(password, "'", "''") + "'", "in MySQL": "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(password) + "'",
			"in a shell": "'" + strings.ReplaceAll(password, "'", `'\''`) + "'", "in a query": url.QueryEscape(password), "in a path": url.PathEscape(password),
			"in a URL": (&url.URL{Scheme: "redis", User: url.UserPassword("tester", password), Host: "h:1"}).String(), "in HTML": html.EscapeString(password),
			"in an error in an error": fmt.Sprintf("%q", fmt.Sprintf("AUTH %q", password)),
		} {
			got := a.Clean("ERR " + text + " refused")
			if strings.Contains(got, password) || strings.Contains(got, "hu") || !strings.Contains(got, "(password)") {
				t.Errorf("%s: %q", how, got)
			}
		}
	}
	a := trial.Secrets{User: "app", Password: "x"}
	if got := a.Clean("app,app: apple of app"); got != "(user),(user): apple of (user)" {
		t.Errorf("%q", got)
	}
}

// A secret that comes in two pieces is found too, and nothing else is kept back.
func TestSecretInTwoPieces(t *testing.T) {
	const password = "hush-hush"
	a := trial.Secrets{User: "tester", Password: password}
	line := "AUTH tester hush-hush\nnext\n"
	for i := range line {
		var out strings.Builder
		w := a.Writer(&out)
		for _, part := range []string{line[:i], line[i:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if got := out.String(); got != "AUTH (user) (password)\nnext\n" {
			t.Errorf("cut at %d: %q", i, got)
		}
	}
}

// FuzzClean: no text keeps a password, whichever way it was quoted into it.
func FuzzClean(f *testing.F) {
	f.Add(`h"u's\h`, "ERR ", " refused")
	f.Add("\xff\x00", "\\", "\"")
	f.Fuzz(func(t *testing.T, password, before, after string) {
		if len(password)+len(before)+len(after) > 300 { // every write looks for every spelling, so the time grows with the square
			return
		}
		if len(password) < 6 || strings.Contains("(password)(user)(login)", password) {
			return
		}
		a := trial.Secrets{User: "tester", Password: password}
		for _, text := range []string{password, strconv.Quote(password), fmt.Sprintf("%q", strconv.Quote(password)), url.QueryEscape(password), html.EscapeString(password)} {
			var out strings.Builder
			w := a.Writer(&out)
			whole := before + text + after
			for i := 0; i < len(whole); i += 5 {
				if _, err := w.Write([]byte(whole[i:min(i+5, len(whole))])); err != nil {
					t.Fatal(err)
				}
			}
			for _, got := range []string{a.Clean(whole), out.String()} {
				if strings.Contains(got, password) {
					t.Errorf("%q keeps it: %q", whole, got)
				}
			}
		}
	})
}
