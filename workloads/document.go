package workloads

import (
	"context"
	"math/rand/v2"
)

// A Document is read by many and changed by few: the workload of a read–write lock. A document
// has two pages, each with the version that it belongs to:
//
//	<lock>/page/1, <lock>/page/2
//
// A writer reads the first page, works, and writes the next version to both. A reader reads both,
// works, and reads both again: only the reader itself may have changed them meanwhile. If the lock
// lets a reader become the writer, one reader in four writes the next version and continues to
// read. The death of a writer between its writes is harmless, because a reader compares a page only
// with itself.
type Document struct{ Config }

var _ Workload = Document{}

const (
	writersOneIn  = 4 // one section of a writer among this number
	changersOneIn = 4 // one reader's section among this number becomes the writer meanwhile, and a reader again
)

// PageKey returns the key of one page of a document, 1 or 2.
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

// Next draws the document, the times, and whether the section reads or changes it.
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
	changes := r.IntN(changersOneIn) == 0
	section.Run = func(ctx context.Context, s Store) error {
		version, err := readPages(ctx, s, lock)
		if err != nil {
			return err
		}
		if u := upgrader(s); u != nil && changes {
			if err := changePages(ctx, s, u, lock, version+1); err != nil {
				return err
			}
		}
		_, err = readPages(ctx, s, lock)
		return err
	}
	return section
}

// changePages makes the reader the writer, writes a version, and makes it a reader again. It
// writes nothing if the upgrade is refused. The pages must still be as the reader read them
// before.
func changePages(ctx context.Context, s Store, u Upgrader, lock string, version int) error {
	if ok, err := u.Upgrade(ctx); !ok {
		return err
	}
	if err := writePages(ctx, s, lock, version); err != nil {
		return err
	}
	return u.Downgrade(ctx)
}

// readPages reads both pages and returns the version of the first.
func readPages(ctx context.Context, s Store, lock string) (int, error) {
	version, err := readInt(ctx, s, PageKey(lock, 1))
	if err != nil {
		return 0, err
	}
	_, err = s.Read(ctx, PageKey(lock, 2))
	return version, err
}

func writePages(ctx context.Context, s Store, lock string, version int) error {
	if err := writeInt(ctx, s, PageKey(lock, 1), version); err != nil {
		return err
	}
	return writeInt(ctx, s, PageKey(lock, 2), version)
}
