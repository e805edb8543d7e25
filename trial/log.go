package trial

import (
	"fmt"
	"os"
)

func (d *Dir) clientLog(client int) string { return d.File(fmt.Sprintf("client-%d.log", client)) }

// A lazyFile is a file that the first write creates.
type lazyFile struct{ path string }

func (f *lazyFile) Write(b []byte) (int, error) {
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	return out.Write(b)
}
