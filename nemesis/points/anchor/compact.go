package anchor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"locktorture/nemesis/points/faults"
)

// compactLimit bounds a compaction.
const compactLimit = 5 * time.Second

// compact changes a key twice, so that a watch without events since then is behind, and makes the
// cluster discard what was before.
func (d *Director) compact(b *blow) error {
	ctx, cancel := context.WithTimeout(context.Background(), compactLimit)
	defer cancel()
	err := errors.New("there is no server")
	for _, addr := range d.addrs { // the first may be down
		if err = compactAt(ctx, addr); err == nil {
			d.hit(b, nil)
			return nil
		}
	}
	return notStruck("no compaction: %v", err)
}

func compactAt(ctx context.Context, addr string) error {
	if _, err := post(ctx, addr, faults.Change()); err != nil {
		return err
	}
	said, err := post(ctx, addr, faults.Change())
	if err != nil {
		return err
	}
	discard, ok := faults.Compaction(said)
	if !ok {
		return fmt.Errorf("no revision in %q", said)
	}
	_, err = post(ctx, addr, discard)
	return err
}

// post sends a request to the HTTP gateway of a server, and returns the answer.
func post(ctx context.Context, addr string, p faults.Post) (said []byte, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+p.Path, strings.NewReader(p.Body))
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if said, err = io.ReadAll(r.Body); err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, said)
	}
	return said, err
}
