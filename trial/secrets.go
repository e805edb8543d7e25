package trial

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"locktorture/internal/exit"
)

// Secrets hold the login to the user's servers, which no file, log or message of a run may contain.
type Secrets struct {
	User, Password string
	Next           *Secrets // login to further servers; nil: there are none
}

// All lists the users and passwords.
func (s Secrets) All() []string {
	list := []string{s.User, s.Password}
	if s.Next != nil {
		list = append(list, s.Next.All()...)
	}
	return list
}

// spellings returns the forms in which a server, a library or a page may repeat a text, the
// longest first: as it is, or with its quotes and special characters escaped as in Go, JSON,
// SQL, a shell, a URL or HTML.
func spellings(text string) []string {
	quoted := func(s string) string { return s[1 : len(s)-1] }
	inJSON, _ := json.Marshal(text) // a string can always be encoded
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)
	all := []string{
		text, quoted(strconv.Quote(text)), quoted(strconv.QuoteToASCII(text)), quoted(string(inJSON)), quoted(strings.TrimSpace(plain.String())),
		strings.ReplaceAll(text, "'", "''"), strings.ReplaceAll(text, `"`, `""`), strings.ReplaceAll(text, `\`, `\\`),
		strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text), strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`).Replace(text),
		strings.ReplaceAll(text, "'", `'\''`), strings.ReplaceAll(text, "'", `'"'"'`),
		url.QueryEscape(text), url.PathEscape(text), url.UserPassword("", text).String()[1:], html.EscapeString(text),
		base64.StdEncoding.EncodeToString([]byte(text)), base64.URLEncoding.EncodeToString([]byte(text)),
	}
	for _, s := range slices.Clone(all) { // an error inside an error is quoted twice
		all = append(all, quoted(strconv.Quote(s)))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// None reports whether there is no secret.
func (s Secrets) None() bool { return s == Secrets{} }

// Clean removes user and password from a text of other origin.
func (s Secrets) Clean(text string) string {
	if s.Next != nil {
		text = s.Next.Clean(text)
	}
	if s.Password != "" {
		for _, spelled := range spellings(s.Password) {
			text = strings.ReplaceAll(text, spelled, "(password)")
		}
		login := base64.StdEncoding.EncodeToString([]byte(s.User + ":" + s.Password)) // as in HTTP basic authentication
		text = strings.ReplaceAll(text, login, "(login)")
	}
	if len(s.User) > 2 {
		text = wholeWord(s.User).ReplaceAllLiteralString(text, "(user)")
	}
	return text
}

// CleanError returns an error without secrets in its text. It keeps the exit code.
func (s Secrets) CleanError(err error) error {
	if err == nil || s.None() {
		return err
	}
	text := s.Clean(err.Error())
	if text == err.Error() {
		return err
	}
	if e := new(exit.Error); errors.As(err, &e) {
		return exit.With(e.Code, errors.New(text))
	}
	return errors.New(text)
}

// Writer returns a writer that removes the secrets and passes the rest on to next.
func (s Secrets) Writer(next io.Writer) io.Writer {
	if s.None() {
		return next
	}
	return &cleanWriter{next: next, clean: s.Clean, starts: s.starts()}
}

// starts lists the forms in which a secret may appear.
func (s Secrets) starts() []string {
	list := append(spellings(s.Password), s.User)
	if s.Next != nil {
		list = append(list, s.Next.starts()...)
	}
	return list
}

// wholeWord returns a pattern that matches a name only as a whole word.
func wholeWord(name string) *regexp.Regexp {
	edge := func(r byte) string {
		if regexp.MustCompile(`\w`).MatchString(string(rune(r))) {
			return `\b`
		}
		return ""
	}
	return regexp.MustCompile(edge(name[0]) + regexp.QuoteMeta(name) + edge(name[len(name)-1]))
}

// A cleanWriter removes secrets from its output. It holds back a tail that may be the beginning of
// a secret until the rest arrives.
type cleanWriter struct {
	next   io.Writer
	clean  func(string) string
	starts []string // the forms in which a secret may appear

	mu   sync.Mutex
	kept string
}

func (w *cleanWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.clean(w.kept + string(b))
	n := w.open(text)
	text, w.kept = text[:len(text)-n], text[len(text)-n:]
	if _, err := io.WriteString(w.next, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// open returns the length, in bytes, of the longest end of a text that may be the beginning of a
// secret.
func (w *cleanWriter) open(text string) (n int) {
	for _, s := range w.starts {
		for i := min(len(s)-1, len(text)); i > n; i-- {
			if strings.HasSuffix(text, s[:i]) {
				n = i
			}
		}
	}
	return n
}
