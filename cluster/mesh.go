package cluster

import "errors"

// A mesh holds the links between nodes: mesh[i][j] carries the connections that i opens to j.
// mesh[i][i] is nil.
type mesh [][]*Link

// mesh makes links from each address to every other.
func (b *builder) mesh(addrs []string) (mesh, error) {
	m := make(mesh, len(addrs))
	for i := range m {
		m[i] = make([]*Link, len(addrs))
		for j, to := range addrs {
			if i == j {
				continue
			}
			port, err := b.ports.Reserve()
			if err != nil {
				return nil, err
			}
			if m[i][j], err = b.link(local(port), to, Way{From: i, To: j}); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// oneWay returns the link for data from one node to another, regardless of the side that opened the
// connection.
func (m mesh) oneWay(from, to int) *Link {
	if from == to || from < 0 || to < 0 || from >= len(m) || to >= len(m) {
		return nil
	}
	return &Link{requests: m[from][to].requests, replies: m[to][from].replies}
}

// heal heals all links.
func (m mesh) heal() error {
	var errs []error
	for _, row := range m {
		for _, l := range row {
			if l != nil {
				errs = append(errs, l.Heal())
			}
		}
	}
	return errors.Join(errs...)
}
