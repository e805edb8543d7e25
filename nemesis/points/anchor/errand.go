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

// errandLimit bounds an errand.
const errandLimit = 5 * time.Second

// errand strikes as an operator does, with requests to the first server that answers.
func (d *Director) errand(b *blow) error {
	ctx, cancel := context.WithTimeout(context.Background(), errandLimit)
	defer cancel()
	d.log.Began(b.step)
	err := errors.New("there is no server")
	for _, addr := range d.addrs { // the first may be down
		if err = run(ctx, addr, faults.ErrandOf(b.Kind)); err == nil {
			d.hit(b, nil)
			return nil
		}
	}
	return notStruck("%v", err)
}

// run sends the requests of an errand to one server.
func run(ctx context.Context, addr string, steps faults.Errand) error {
	var said []byte
	for _, step := range steps {
		p, err := step(said)
		if err == nil {
			said, err = post(ctx, addr, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
