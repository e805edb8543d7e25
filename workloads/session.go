package workloads

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Session is a document, such as a web session, that is read as a whole, changed in one field and
// written as a whole. The key of a lock:
//
//	<lock>/document  a JSON object: how often each field was changed
//
// A section has one write, so any prefix of it is harmless.
type Session struct{ Config }

var _ Workload = Session{}

// DocumentKey returns the key of the document.
func DocumentKey(lock string) string { return wire.Key(lock, "document") }

// sessionFields returns the fields of a document.
func sessionFields() []string { return []string{"address", "cart", "language", "name", "visits"} }

// Init writes a document whose fields have zero changes.
func (w Session) Init(ctx context.Context, s Store) error {
	document := map[string]int{}
	for _, field := range sessionFields() {
		document[field] = 0
	}
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return w.initAll(ctx, s, "session", DocumentKey, string(text))
}

// Next draws the lock, the times and the field to change.
func (w Session) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "session")
	field := sessionFields()[r.IntN(len(sessionFields()))]
	section.Run = func(ctx context.Context, s Store) error {
		key := DocumentKey(lock)
		text, err := s.Read(ctx, key)
		if err != nil {
			return err
		}
		var document map[string]int
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			return fmt.Errorf("key %s holds %q, which is no document: %w", key, text, err)
		}
		document[field]++
		changed, err := json.Marshal(document)
		if err != nil {
			return err
		}
		return s.Write(ctx, key, string(changed))
	}
	return section
}
