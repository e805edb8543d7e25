package main

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

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

// schemaFile has the JSON Schema of what is written for programs. Its types come from here, its
// descriptions are written there by hand.
const schemaFile = "../../docs/schema/torture.schema.json"

// roots are the objects of the files and of --json. docs/files.md says which is where.
func roots() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[report.Run](), reflect.TypeFor[checker.Result](), reflect.TypeFor[nemesis.Step](), reflect.TypeFor[report.Object](),
		reflect.TypeFor[matrix.File](), reflect.TypeFor[scorecard.Try](), reflect.TypeFor[scorecard.Point](), reflect.TypeFor[bench.Report](),
		reflect.TypeFor[sweep.Report](), reflect.TypeFor[bare.Verdict](), reflect.TypeFor[rowList](), reflect.TypeFor[scenarioList](),
		reflect.TypeFor[played](), reflect.TypeFor[trace.Row](), reflect.TypeFor[conform.Verdict](), reflect.TypeFor[search.Report](),
		reflect.TypeFor[session.Rate](),
	}
}

// A schema is a part of a JSON Schema.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // a name, or several
	Format      string             `json:"format,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Values      *schema            `json:"additionalProperties,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// TestSchema holds the schema to the fields that are written, and docs/files.md to the objects. With -update
// it writes the schema anew and keeps its descriptions.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var kept schema
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	got := schema{Schema: "https://json-schema.org/draft/2020-12/schema", Description: kept.Description, Defs: map[string]*schema{}}
	page := read(t, "docs/files.md")
	for _, root := range roots() {
		got.add(root)
		if !strings.Contains(page, "`"+nameOf(root)+"`") {
			t.Errorf("docs/files.md does not say where %s is written", nameOf(root))
		}
	}
	for name, def := range got.Defs {
		def.describe(t, name, kept.Defs[name])
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := diff.Diff(strings.Split(string(text), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("%s is stale: go test ./cmd/torture -run TestSchema -update, then describe what is new; if a type was renamed, rename it there before (-kept +written):\n%s", schemaFile, d)
	}
}

// describe takes the descriptions of what was there before.
func (s *schema) describe(t *testing.T, name string, kept *schema) {
	if kept == nil {
		kept = &schema{}
	}
	s.Description = kept.Description
	for field, p := range s.Properties {
		if before := kept.Properties[field]; before != nil {
			p.Description = before.Description
		}
		if p.Description == "" {
			t.Errorf("%s: %s.%s has no description", schemaFile, name, field)
		}
	}
}

// add defines a struct, and those in it.
func (s *schema) add(of reflect.Type) {
	if _, known := s.Defs[nameOf(of)]; known {
		return
	}
	def := &schema{Type: "object", Properties: map[string]*schema{}}
	s.Defs[nameOf(of)] = def
	for field := range of.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		p := s.of(field.Type)
		if kind := field.Type.Kind(); (kind == reflect.Slice || kind == reflect.Map) && !strings.Contains(options, "omit") {
			p.Type = []any{p.Type, "null"} // an empty one is written, too
		}
		def.Properties[cmp.Or(name, field.Name)] = p
	}
}

// of is the schema of a value.
func (s *schema) of(typ reflect.Type) *schema {
	switch typ {
	case reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[time.Duration]():
		return &schema{Type: "integer", Format: "ns"}
	case reflect.TypeFor[history.Op]():
		return &schema{Type: "object", Format: "docs/history.md"}
	}
	if typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &schema{Type: "string"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return s.of(typ.Elem())
	case reflect.Slice, reflect.Array:
		return &schema{Type: "array", Items: s.of(typ.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Values: s.of(typ.Elem())}
	case reflect.Struct:
		s.add(typ)
		return &schema{Ref: "#/$defs/" + nameOf(typ)}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	}
	return &schema{Type: "integer"}
}

func nameOf(of reflect.Type) string { return path.Base(of.PkgPath()) + "." + of.Name() }
