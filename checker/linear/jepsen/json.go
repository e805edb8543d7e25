package jepsen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A jsonReader reads JSON objects, one after another or in arrays.
type jsonReader struct {
	src   *source
	dec   *json.Decoder
	depth int
	array bool // inside of an array at the top
	start int

	swallowed bool // the entry that is read holds another, so it may lack its end
}

func newJSON(src *source, r io.Reader) *jsonReader {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	return &jsonReader{src: src, dec: dec}
}

func (r *jsonReader) line() int { return r.src.at(r.dec.InputOffset()) }

// token returns errCutOff where the file ends early.
func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		if err = errCutOff; r.swallowed {
			err = unclosed(r.start)
		}
	}
	return t, err
}

// next reads the next object. It returns io.EOF at the end.
func (r *jsonReader) next() (value, error) {
	for {
		t, err := r.dec.Token()
		if errors.Is(err, io.EOF) && !r.array {
			return value{}, io.EOF
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errCutOff
		}
		if err != nil {
			return value{}, err
		}
		switch {
		case t == json.Delim('{'):
			r.src.begin()
			r.start, r.swallowed = r.line(), false
			return r.rest(t)
		case t == json.Delim('[') && !r.array:
			r.array = true
		case t == json.Delim(']') && r.array:
			r.array = false
		default:
			return value{}, fmt.Errorf("an entry is an object, not %v", t)
		}
	}
}

// rest reads the value that begins with t.
func (r *jsonReader) rest(t json.Token) (value, error) {
	switch t := t.(type) {
	case nil:
		return value{}, nil
	case bool:
		return value{kind: boolean, text: fmt.Sprint(t)}, nil
	case json.Number:
		return value{kind: number, text: t.String()}, nil
	case string:
		return value{kind: text, text: t}, nil
	}
	if r.depth++; r.depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	defer func() { r.depth-- }()
	v := value{kind: list}
	if t == json.Delim('{') {
		v.kind = dict
	}
	for {
		t, err := r.token()
		if err != nil {
			return v, err
		}
		if t == json.Delim(']') || t == json.Delim('}') {
			if v.kind == dict {
				r.swallowed = r.swallowed || r.depth > 1 && v.isEntry()
				err = v.distinct()
			}
			return v, err
		}
		item, err := r.rest(t)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}
