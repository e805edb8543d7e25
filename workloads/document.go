package workloads

import (
	"context"
	"math/rand/v2"
)

// A Document is read by many and changed by few: the workload of a read–write lock. A document has two
// pages, each with the version that it belongs to:
//
//	<lock>/page/1, <lock>/page/2
//
// A writer reads the first, works, and writes the next version to both. A reader reads both, works, and reads both again: nobody
// may have changed them in between. That a writer died between its writes harms nobody: a reader compares
// a page with itself.
type Document struct{ Config }

var _ Workload = Document{}

// writersOneIn is how many sections of a Document there are to one of a writer.
const writersOneIn = 4

// PageKey is the key of one page of a document, 1 or 2.
func PageKey(lock string, page int) string {
	if page == 1 {
		return lock + "/page/1"
	}
	return lock + "/page/2"
}

// Init writes version 0 of every document.
func (w Document) Init(ctx context.Context, s Store) error {
	for _, lock := range w.locks("document") {
		if err := writePages(ctx, s, lock, 0); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the document, the times, and whether it is read or changed.
func (w Document) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "document")
	if r.IntN(writersOneIn) == 0 {
		section.Run = func(ctx context.Context, s Store) error {
			n, err := readInt(ctx, s, PageKey(lock, 1))
			if err != nil {
				return err
			}
			return writePages(ctx, s, lock, n+1)
		}
		return section
	}
	section.Shared = true
	section.Run = func(ctx context.Context, s Store) error {
		for _, page := range []int{1, 2, 1, 2} {
			if _, err := s.Read(ctx, PageKey(lock, page)); err != nil {
				return err
			}
		}
		return nil
	}
	return section
}

func writePages(ctx context.Context, s Store, lock string, version int) error {
	if err := writeInt(ctx, s, PageKey(lock, 1), version); err != nil {
		return err
	}
	return writeInt(ctx, s, PageKey(lock, 2), version)
}
