package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Schema is the version of the JSON files of a run directory and of what --json prints. It
// grows when a field gets another meaning or goes; docs/files.md says what each holds.
const Schema = 1

// Stamp returns a JSON object with the schema as its first field.
func Stamp(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields, ok := bytes.CutPrefix(b, []byte("{"))
	if !ok {
		return nil, fmt.Errorf("%T is not a JSON object", v)
	}
	stamp := fmt.Sprintf(`{"schema":%d`, Schema)
	if !bytes.Equal(fields, []byte("}")) {
		stamp += ","
	}
	return append([]byte(stamp), fields...), nil
}

// Indented returns a JSON object for a file, with the schema and a line for each value.
func Indented(v any) ([]byte, error) {
	b, err := Stamp(v)
	if err != nil {
		return nil, err
	}
	b, err = json.MarshalIndent(json.RawMessage(b), "", "  ")
	return append(b, '\n'), err
}

// Encode writes a JSON object on one line, with the schema.
func Encode(w io.Writer, v any) error {
	b, err := Stamp(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Readable returns an error if a JSON object was written by a later torture, whose fields may
// mean something else. Before there were schemas it had none.
func Readable(b []byte) error {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	if head.Schema > Schema {
		return fmt.Errorf("it has schema %d, of a later version of torture; this version reads schemas up to %d", head.Schema, Schema)
	}
	return nil
}
