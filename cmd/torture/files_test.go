package main

import (
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/bench"
	"locktorture/checker"
	"locktorture/checker/bare"
	"locktorture/conform"
	"locktorture/explore/session"
	"locktorture/history"
	"locktorture/matrix"
	"locktorture/nemesis"
	"locktorture/report"
	"locktorture/report/scorecard"
	"locktorture/simulate/search"
	"locktorture/sweep"
	"locktorture/wire/trace"
)

// filesPage says what each JSON file and each --json holds.
const filesPage = "../../docs/files.md"

// roots are the objects of the files and of --json.
func roots() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[report.Run](), reflect.TypeFor[checker.Result](), reflect.TypeFor[nemesis.Step](), reflect.TypeFor[report.Object](),
		reflect.TypeFor[matrix.File](), reflect.TypeFor[scorecard.Try](), reflect.TypeFor[scorecard.Point](), reflect.TypeFor[bench.Report](),
		reflect.TypeFor[sweep.Report](), reflect.TypeFor[bare.Verdict](), reflect.TypeFor[rowList](), reflect.TypeFor[scenarioList](), reflect.TypeFor[played](), reflect.TypeFor[trace.Row](), reflect.TypeFor[conform.Verdict](),
		reflect.TypeFor[search.Report](), reflect.TypeFor[session.Rate](),
	}
}

// TestFilesPage holds docs/files.md to the fields that are written: no field without its line,
// no line without its field.
func TestFilesPage(t *testing.T) {
	text, err := os.ReadFile(filesPage)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, root := range roots() {
		collect(root, want)
	}
	if d := cmp.Diff(want, documentedFields(string(text))); d != "" {
		t.Errorf("docs/files.md (-written +documented):\n%s", d)
	}
}

// collect lists the JSON fields of a struct and of those in it, by its name. A history has a
// page of its own.
func collect(of reflect.Type, into map[string][]string) {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array}, of.Kind()) {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() || of == reflect.TypeFor[history.Op]() {
		return
	}
	if _, seen := into[nameOf(of)]; seen {
		return
	}
	into[nameOf(of)] = []string{}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || name == "schema" || !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		into[nameOf(of)] = append(into[nameOf(of)], name)
		collect(field.Type, into)
	}
	slices.Sort(into[nameOf(of)])
}

func nameOf(of reflect.Type) string { return path.Base(of.PkgPath()) + "." + of.Name() }

var (
	tableHeading = regexp.MustCompile("^#+ .*\\(`([\\w.]+)`\\)$")
	tableField   = regexp.MustCompile("^\\| `([\\w]+)` \\| ")
)

// documentedFields are the fields that a page documents, by what stands in the heading above
// them.
func documentedFields(page string) map[string][]string {
	all, of := map[string][]string{}, ""
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch heading, field := tableHeading.FindStringSubmatch(line), tableField.FindStringSubmatch(line); {
		case heading != nil:
			of = heading[1]
			all[of] = []string{}
		case strings.HasPrefix(line, "#"):
			of = ""
		case field != nil && of != "" && field[1] != "schema":
			all[of] = append(all[of], field[1])
		}
	}
	for _, fields := range all {
		slices.Sort(fields)
	}
	return all
}
