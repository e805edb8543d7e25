package jepsen

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A jsonEntry is one line of JSON.
type jsonEntry struct {
	Type    string          `json:"type"`
	Process json.RawMessage `json:"process"`
	F       string          `json:"f"`
	Value   json.RawMessage `json:"value"`
	Time    json.RawMessage `json:"time"`
	Error   json.RawMessage `json:"error"`
}

func parseJSON(text []byte, line int) (entry, error) {
	e := entry{line: line}
	var j jsonEntry
	if err := json.Unmarshal(text, &j); err != nil {
		return e, fmt.Errorf("no JSON object: %w", err)
	}
	e.kind, e.f = strings.TrimPrefix(j.Type, ":"), strings.TrimPrefix(j.F, ":")
	if p := string(j.Process); strings.HasPrefix(p, `"`) {
		e.client = false // "nemesis"
	} else if err := e.set(":process", value{kind: atom, text: p}); err != nil {
		return e, err
	}
	if len(j.Time) > 0 && string(j.Time) != "null" {
		if err := e.set(":time", value{kind: atom, text: string(j.Time)}); err != nil {
			return e, err
		}
	}
	e.failed = len(j.Error) > 0 && string(j.Error) != "null"
	e.value = jsonValue(j.Value, 0)
	return e, e.check()
}

func jsonValue(raw json.RawMessage, depth int) value {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "" || text == "null":
		return value{}
	case text[0] == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return value{kind: other}
		}
		return value{kind: atom, text: s}
	case text[0] == '[' && depth < maxDepth:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return value{kind: other}
		}
		v := value{kind: list}
		for _, item := range items {
			v.items = append(v.items, jsonValue(item, depth+1))
		}
		return v
	case text[0] == '{' || text[0] == '[':
		return value{kind: other}
	}
	return value{kind: atom, text: text}
}
