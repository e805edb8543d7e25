package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// On wasip1 Go simulates a network within the process: a listener never gets a connection, and no
// error either. This change reports each listener to the host.
const (
	listens     = "func fakeListen(fd *netFD, laddr sockaddr) (err error) {\n"
	listensTold = listens + "\tif laddr != nil {\n\t\thostListen(fd.net + \" \" + laddr.String())\n\t}\n"
	hostListen  = "\n//go:wasmimport torture listen\nfunc hostListen(where string) int32\n"
)

// fakeNet writes an overlay for go build that makes this change, and returns the path of the
// overlay. It returns "" and changes nothing if net_fake.go of this version of Go has another
// text.
func (t target) fakeNet(ctx context.Context, dir string) (string, error) {
	root, err := t.said(ctx, "env", "GOROOT")
	if err != nil {
		return "", err
	}
	path := filepath.Join(strings.TrimSpace(root), "src", "net", "net_fake.go")
	was, err := os.ReadFile(path)
	if err != nil || strings.Count(string(was), listens) != 1 {
		return "", nil
	}
	is := filepath.Join(dir, "net_fake.go")
	if err := os.WriteFile(is, []byte(strings.Replace(string(was), listens, listensTold, 1)+hostListen), 0o600); err != nil {
		return "", fmt.Errorf("build guest: %w", err)
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: is}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o600)
}
