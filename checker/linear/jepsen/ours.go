package jepsen

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locktorture/history"
)

// OursF is the :f of the first entry of a history that torture has exported. Its :value is the
// run, as run.json has it.
const OursF = "torture-run"

// IsOurs reports whether a file begins as one that torture has exported, compressed or not.
func IsOurs(file io.Reader) bool {
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if head = head[:n]; bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return false
		}
		plain := make([]byte, 512)
		n, _ := io.ReadFull(z, plain) // cut off by the head, which is enough
		head = plain[:n]
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(first, []byte(":f :"+OursF+",")) || bytes.Contains(first, []byte(":f :"+OursF+" "))
}

// ReadOurs reads a history that torture has exported: the run, as run.json has it, and the
// entries as they were recorded. Every error names the line. cut says that the file ends in
// the middle of an entry, which is left out.
func ReadOurs(file io.Reader) (run []byte, h history.History, cut bool, err error) {
	src, err := openSource(file)
	if err != nil {
		return nil, nil, false, fmt.Errorf("exported history: %w", err)
	}
	edn := newEDN(src, bufio.NewReaderSize(src, chunk))
	rules, sum := history.NewValidator(), history.NewChecksum()
	for {
		v, err := edn.next()
		switch {
		case run != nil && (errors.Is(err, io.EOF) || errors.Is(err, errCutOff)):
			return run, h, src.cut || errors.Is(err, errCutOff), nil
		case err == nil && run == nil:
			run, err = runOf(v)
		case err == nil:
			var op history.Op
			if op, err = ourEntry(v); err == nil {
				err = rules.Add(&op)
			}
			if err == nil {
				err = sum.Check(op.AppendJSON(nil), &op)
			}
			h = append(h, op)
		}
		if err != nil {
			return nil, nil, false, fmt.Errorf("exported history: line %d: %w", edn.line(), err)
		}
	}
}

func runOf(v value) ([]byte, error) {
	f, _ := v.get("f")
	run, _ := v.get("value")
	if f.text != ":"+OursF || run.kind != text {
		return nil, fmt.Errorf("no entry :%s that holds the run", OursF)
	}
	return []byte(run.text), nil
}

// ourEntry returns an entry as it was recorded.
func ourEntry(v value) (op history.Op, err error) {
	e, err := parseEntry(v, 0)
	if err != nil {
		return op, err
	}
	own, ok := v.get("torture")
	if !ok || own.kind != dict {
		return op, errors.New("an entry has no :torture; an exported run cannot contain entries of other programs")
	}
	line, err := own.appendJSON(nil)
	if err != nil {
		return op, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&op); err != nil {
		return op, fmt.Errorf(":torture: %w", err)
	}
	op.Type, op.Time = history.Type(e.kind), e.time
	if why, _ := v.get("error"); why.kind == text {
		op.Error = why.text
	}
	return op, nil
}

// appendJSON appends a value as JSON; keywords are the names of fields.
func (v value) appendJSON(b []byte) ([]byte, error) {
	switch v.kind {
	case none:
		return append(b, "null"...), nil
	case boolean, number:
		return append(b, v.text...), nil
	case text:
		s, err := json.Marshal(v.text)
		return append(b, s...), err
	case list:
		return v.appendItems(append(b, '['))
	case dict:
		return v.appendFields(b)
	}
	return b, fmt.Errorf("%s does not belong in an exported entry", quote(v))
}

func (v value) appendItems(b []byte) (_ []byte, err error) {
	for i := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = v.items[i].appendJSON(b); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (v value) appendFields(b []byte) (_ []byte, err error) {
	b = append(b, '{')
	for i := 0; i+1 < len(v.items); i += 2 {
		name, ok := strings.CutPrefix(v.items[i].text, ":")
		if v.items[i].kind != word || !ok || name == "" {
			return b, fmt.Errorf("%s is not the name of a field", quote(v.items[i]))
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, name), ':')
		if b, err = v.items[i+1].appendJSON(b); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}
