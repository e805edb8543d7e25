package app

import (
	"context"
	"net"
	"os"
	"testing"

	"locktorture/cluster/docker"
)

// A lone is a container that runs until it is killed.
type lone struct {
	docker.Running
	killed bool
}

func (*lone) Addr() string { return "127.0.0.9" }

func (l *lone) Kill(context.Context) error {
	l.killed = true
	return nil
}

// Start implements docker.Container.
func (l *lone) Start(context.Context, *os.File) (docker.Running, error) { return l, nil }

// TestContainerOutOfReach: a container whose port cannot be given to this machine does not go on, and the
// next start gives it again.
func TestContainerOutOfReach(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	q := &lone{}
	s := &stage{file: &File{Image: "billing"}, life: t.Context()}
	b := &box{replica: &replica{stage: s, number: 1, values: values{varPort: port}}, container: q}
	if _, err := b.start(nil, nil, nil); err == nil || !q.killed {
		t.Errorf("%v, killed %v", err, q.killed)
	}
	taken.Close()
	if _, err := b.start(nil, nil, nil); err != nil || b.front == nil {
		t.Errorf("%v, link %v", err, b.front)
	}
	b.close()
}
