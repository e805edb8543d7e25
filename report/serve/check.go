package serve

import (
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"

	"locktorture/report/words"
)

// maxForm bounds what is read of a request that has a run judged.
const maxForm = 4 << 10

// check judges a run again and shows the old verdict next to the new one.
func (p place) check(w http.ResponseWriter, r *http.Request) {
	if !fromHere(r) {
		http.Error(w, "a run can be judged again only from this machine", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	name := r.PostFormValue("check")
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		http.Error(w, "the directory of runs cannot be read", http.StatusInternalServerError)
		return
	}
	defer root.Close()
	before, ok := readEntry(root.FS(), name)
	if !ok || !ownFiles(root, name) {
		http.NotFound(w, r)
		return
	}
	if !p.busy.TryLock() {
		http.Error(w, "another run is being judged", http.StatusConflict)
		return
	}
	defer p.busy.Unlock()
	if err := p.judge(filepath.Join(p.dir, name)); err != nil {
		http.Error(w, "it cannot be judged: "+words.Sentence(err.Error()), http.StatusUnprocessableEntity)
		return
	}
	after, _ := readEntry(root.FS(), name)
	p.showPair(w, comparePage{Heading: "Judged again: " + words.Word(name), A: before, B: after, HeadA: "before", HeadB: "now", Rows: compareRows(before, after)})
}

// ownFiles reports whether a run is a directory, and all that is read or
// written when it is judged a regular file in it, or missing: a link could
// lead out of the directory of runs.
func ownFiles(root *os.Root, name string) bool {
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return false
	}
	for _, file := range files {
		if info, err := root.Lstat(name + "/" + file); err == nil && info.Mode().Type()&^fs.ModeIrregular != 0 {
			return false
		}
	}
	return true
}

// fromHere reports whether a request came over the loopback interface.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
